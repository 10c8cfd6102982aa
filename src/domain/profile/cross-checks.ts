import { msisdnKey } from "../values/msisdn.js";
import type { Profile } from "./profile.js";
import type { ProfileProblem } from "./setting-problems.js";

/**
 * What no setting can see by itself. Each check names the settings it looks at, the one at fault last; `canCheck`
 * leaves out those that are wrong in themselves.
 */
export function crossCheck(
  profile: Profile,
  isOverridden: (path: string) => boolean,
  canCheck: (path: string) => boolean,
): ProfileProblem[] {
  return [...boundChecks(profile), ...headerChecks(profile), ...testNumberChecks(profile)].flatMap(
    ({ first, second, isWrong, message }) => {
      if (!canCheck(first) || !canCheck(second) || !isWrong) return [];
      // The line to mend is one that the user wrote.
      const culprit = isOverridden(second) ? second : first;
      return [{ path: culprit.split("."), message }];
    },
  );
}

interface CrossCheck {
  readonly first: string;
  readonly second: string;
  readonly isWrong: boolean;
  readonly message: string;
}

function boundChecks(profile: Profile): CrossCheck[] {
  return (["transfers", "charges"] as const).map((group) => {
    const { min, max } = profile[group];
    return {
      first: `${group}.min`,
      second: `${group}.max`,
      isWrong: min > max,
      message: `${group}.min (${min}) must not be above ${group}.max (${max})`,
    };
  });
}

function headerChecks({ webhooks: { signatureHeader, topicHeader } }: Profile): CrossCheck[] {
  return [
    {
      first: "webhooks.signatureHeader",
      second: "webhooks.topicHeader",
      isWrong: topicHeader?.toLowerCase() === signatureHeader.toLowerCase(),
      message: `webhooks.topicHeader must differ from webhooks.signatureHeader: both are ${signatureHeader}`,
    },
  ];
}

function testNumberChecks({ testNumbers }: Profile): CrossCheck[] {
  const roles = Object.entries<string>(testNumbers);
  return roles.flatMap(([role, number], index) =>
    roles.slice(0, index).map(([earlierRole, earlier]) => ({
      first: `testNumbers.${earlierRole}`,
      second: `testNumbers.${role}`,
      isWrong: msisdnKey(number) === msisdnKey(earlier),
      message:
        `testNumbers.${role} (${number}) must differ from testNumbers.${earlierRole} (${earlier}): ` +
        "they are the same number without +, 00 and country prefix 225",
    })),
  );
}
