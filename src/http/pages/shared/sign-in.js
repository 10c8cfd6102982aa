"use strict";
// A link carries the token in its fragment. The reader still presses the button: a foreign page must not sign anyone in.
const token = new URLSearchParams(location.hash.slice(1)).get("token");
if (token !== null) {
  document.getElementById("token").value = token;
  history.replaceState(null, "", location.pathname + location.search);
}
