const node = `
// An event may come twice, late, and before the one that happened before it:
// what it says counts only if it leads further. In a database: UPDATE orders
// SET status = 'paid' WHERE external_id = $1 AND status IN ('due')
const BEFORE = {
  paid: ["due"],
  dropped: ["due"],
  refunded_partially: ["due", "paid"],
  refunded: ["due", "paid", "refunded_partially"],
};

function moveOrder(orders, { externalId, status }) {
  const order = orders.get(externalId);
  if (!order || !BEFORE[status]?.includes(order.status)) return false;
  order.status = status;
  return true;
}
`;

const python = `
# An event may come twice, late, and before the one that happened before it:
# what it says counts only if it leads further. In a database: UPDATE orders
# SET status = 'paid' WHERE external_id = %s AND status IN ('due')
BEFORE = {
    "paid": ["due"],
    "dropped": ["due"],
    "refunded_partially": ["due", "paid"],
    "refunded": ["due", "paid", "refunded_partially"],
}


def move_order(orders, charge):
    order = orders.get(charge["externalId"])
    before = BEFORE.get(charge["status"], [])
    if order is None or order["status"] not in before:
        return False
    order["status"] = charge["status"]
    return True
`;

const php = `
// An event may come twice, late, and before the one that happened before it:
// what it says counts only if it leads further, and so changes a row.
const BEFORE = [
    'paid' => ['due'],
    'dropped' => ['due'],
    'refunded_partially' => ['due', 'paid'],
    'refunded' => ['due', 'paid', 'refunded_partially'],
];

function move_order(PDO $db, array $charge): bool
{
    $before = BEFORE[$charge['status']] ?? null;
    if ($before === null) {
        return false;
    }
    $known = implode(', ', array_fill(0, count($before), '?'));
    $isBefore = "external_id = ? AND status IN ($known)";
    $update = $db->prepare("UPDATE orders SET status = ? WHERE $isBefore");
    $update->execute([$charge['status'], $charge['externalId'], ...$before]);
    return $update->rowCount() === 1;
}
`;

export const once = { node: node.trim(), python: python.trim(), php: php.trim() };
