import type { FlagValues } from '../flags/catalogue.ts';
import { clusterMembers } from '../flags/rows/takers.ts';
import type { Outcome } from '../outcome.ts';
import { missing, type Rule, type Violation } from './rule.ts';

type Values = Pick<
  FlagValues,
  'region' | 'controlPlaneDomain' | 'metadataURL' | 'agentEnableZonalURLs' | 'multiregion'
>;

const zones = ['a', 'b', 'c'] as const;

/**
 * The addresses of the control plane: of a region by its zones, the one of a region, or those that are given. With
 * several regions, those that are given follow those of the own one.
 */
export function controlPlaneUrls(values: Values): Outcome<readonly string[], Violation> {
  const { region, controlPlaneDomain: domain, metadataURL: urls, agentEnableZonalURLs: isZonal } = values;
  if (region === undefined || (values.multiregion && domain === undefined)) {
    if (urls !== undefined && urls.length > 0) return { value: urls };
    return missing(['metadataURL'], 'set it to the URL of the control plane, or set its -region');
  }
  if (domain === undefined)
    return missing(
      ['controlPlaneDomain'],
      'set the domain of the control plane: -region has its addresses there',
    );
  const names = isZonal ? zones.map((zone) => `${region}-${zone}`) : [region];
  const own = names.map((name) => `https://${name}.${domain}`);
  return { value: values.multiregion ? [...own, ...(urls ?? [])] : own };
}

/** The addresses, after the rules were checked. */
export function checkedControlPlaneUrls(values: Values): readonly string[] {
  const urls = controlPlaneUrls(values);
  if ('problem' in urls) throw new TypeError(urls.problem.rule);
  return urls.value;
}

export const controlPlaneAddressRule: Rule = {
  statement:
    'One of -metadataURL and -region is needed, and -controlPlaneDomain with -region. -region takes precedence; with ' +
    '-multiregion both are used, and -controlPlaneDomain can be left out if there is a -metadataURL.',
  flags: ['region', 'controlPlaneDomain', 'metadataURL', 'multiregion'],
  commands: clusterMembers,
  check(values) {
    const urls = controlPlaneUrls(values);
    return 'problem' in urls ? urls.problem : undefined;
  },
};
