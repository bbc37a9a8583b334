import { zoneName } from './text.ts';
import type { ValueType } from './value-type.ts';

interface RegionGroup {
  readonly name: string;
  readonly regions: readonly string[];
}

const written = '<name>@<region>,<region>, with <> between groups,';
/** The API lists no more. */
const regionsMax = 16;
const groupsMax = 64;
/** The API takes no longer names. */
const nameCharsMax = 64;
const zone = zoneName('region');

/** Groups of regions, the preferred one of each first: `us@us-east-1,us-west-2<>eu@eu-west-1,eu-north-1`. */
export function regionGroups(): ValueType<readonly RegionGroup[]> {
  return {
    label: 'region groups',
    syntax: '`us@us-east-1,us-west-2<>eu@eu-west-1,eu-north-1`',
    allowed: 'name@region,region with <> between groups',
    empty: [],
    parse(text) {
      if (text === '') return { value: [] };
      const parts = text.split('<>');
      if (parts.length > groupsMax) return { problem: `at most ${groupsMax} groups are allowed` };
      const groups: RegionGroup[] = [];
      for (const [index, part] of parts.entries()) {
        const place = `group ${index + 1}`;
        const at = part.indexOf('@');
        if (at === -1) return { problem: `${written} is needed; ${place} has no @` };
        const [name, ...regions] = [part.slice(0, at), ...part.slice(at + 1).split(',')].map((word) =>
          word.trim(),
        );
        for (const word of [name!, ...regions]) {
          const parsed = zone.parse(word);
          if ('problem' in parsed) return { problem: `the names of ${place}: ${parsed.problem}` };
          if (word.length > nameCharsMax)
            return { problem: `the names of ${place}: at most ${nameCharsMax} characters are allowed` };
        }
        if (groups.some((known) => known.name === name)) return { problem: `${place} is listed twice` };
        if (regions.length < 2 || regions.length > regionsMax)
          return { problem: `${place} needs 2 to ${regionsMax} regions` };
        if (new Set(regions).size < regions.length) return { problem: `${place} lists a region twice` };
        groups.push({ name: name!, regions });
      }
      return { value: groups };
    },
    print: (groups) => groups.map(({ name, regions }) => `${name}@${regions.join(',')}`).join('<>'),
  };
}
