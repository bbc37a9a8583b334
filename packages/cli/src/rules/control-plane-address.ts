import type { FlagValues } from '../flags/catalogue.ts';
import { clusterMembers } from '../flags/rows/takers.ts';
import type { Outcome } from '../outcome.ts';
import { missing, type Rule, type Violation } from './rule.ts';

/** How the control plane is reached: the three zonal addresses of a region, its one address, or given addresses. */
type ControlPlaneAddress =
  | { readonly kind: 'zonal'; readonly region: string }
  | { readonly kind: 'regional'; readonly region: string }
  | { readonly kind: 'urls'; readonly urls: readonly string[] };

type Values = Pick<FlagValues, 'region' | 'metadataURL' | 'agentEnableZonalURLs'>;

export function resolveControlPlaneAddress(values: Values): Outcome<ControlPlaneAddress, Violation> {
  const { region, metadataURL: urls } = values;
  if (region !== undefined)
    return { value: { kind: values.agentEnableZonalURLs ? 'zonal' : 'regional', region } };
  if (urls !== undefined && urls.length > 0) return { value: { kind: 'urls', urls } };
  return missing(['region'], 'set the region of the control plane, or its URL with -metadataURL');
}

export const controlPlaneAddressRule: Rule = {
  statement: 'One of -region and -metadataURL is needed. -region takes precedence.',
  flags: ['region', 'metadataURL'],
  commands: clusterMembers,
  check(values) {
    const resolved = resolveControlPlaneAddress(values);
    return 'problem' in resolved ? resolved.problem : undefined;
  },
};
