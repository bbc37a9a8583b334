import { isCidr } from './cidr.ts';
import { zoneName } from './text.ts';
import type { ValueType } from './value-type.ts';

/** The address blocks of one availability zone. */
interface ZonedCidrBlocks {
  readonly zone: string;
  readonly cidrs: readonly string[];
}

const written = '<zone>@<cidr>,<cidr>, with <> between zones,';
const zone = zoneName();

/** The zones of addresses: `a@10.0.0.0/16,10.1.0.0/16<>b@10.2.0.0/16`. */
export function zonedCidrBlocks(): ValueType<readonly ZonedCidrBlocks[]> {
  return {
    label: 'zoned CIDR blocks',
    syntax: '`zone-a@10.0.0.0/16,10.1.0.0/16<>zone-b@10.2.0.0/16`',
    allowed: 'zone@cidr,cidr with <> between zones',
    empty: [],
    parse(text) {
      if (text === '') return { value: [] };
      const zones: ZonedCidrBlocks[] = [];
      for (const [index, part] of text.split('<>').entries()) {
        const place = `zone ${index + 1}`;
        const at = part.indexOf('@');
        if (at === -1) return { problem: `${written} is needed; ${place} has no @` };
        const name = zone.parse(part.slice(0, at).trim());
        if ('problem' in name) return { problem: `the name of ${place}: ${name.problem}` };
        if (zones.some((known) => known.zone === name.value)) return { problem: `${place} is listed twice` };
        const cidrs = part
          .slice(at + 1)
          .split(',')
          .map((cidr) => cidr.trim());
        const bad = cidrs.findIndex((cidr) => !isCidr(cidr));
        if (bad !== -1) return { problem: `block ${bad + 1} of ${place} is not a CIDR such as 10.0.0.0/16` };
        zones.push({ zone: name.value, cidrs });
      }
      return { value: zones };
    },
    print: (zones) => zones.map(({ zone, cidrs }) => `${zone}@${cidrs.join(',')}`).join('<>'),
  };
}
