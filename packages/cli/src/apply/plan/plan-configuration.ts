import type { CallOf } from '@weir/api';
import type { ActualConfiguration } from '../actual.ts';
import type { DesiredCluster, DesiredConfiguration } from '../desired.ts';
import { changesOf, nothing, targetsOf, update } from './changes.ts';
import type { PlanContext } from './plan-context.ts';
import type { Change, Phase, Step, WritingStep } from './step.ts';

type ConfigurationChange = CallOf<'update_virtual_cluster_configuration'>['virtual_cluster_configuration'];

const switches = {
  enable_acls: 'are_acls_enabled',
  enable_acl_shadowing: 'acl_shadowing_enabled',
  enable_deletion_protection: 'enable_deletion_protection',
} as const satisfies Record<string, keyof ActualConfiguration>;

type Switch = keyof typeof switches;

/**
 * Plans the configuration of the cluster. Turning on the enforcement of ACLs is a separate step, which comes after the
 * ACLs.
 */
export function planConfiguration(context: PlanContext): Step[] {
  const { desired, actual } = context;
  const wanted = desired.configuration;
  if (wanted === undefined) return [];
  const there = actual?.configuration;
  const settings = settingsOf(wanted, there);
  refuseSilentRelease(wanted, there, desired, context.refuse);
  const texts = (configuration: Partial<Record<Switch, boolean | undefined>>) =>
    Object.fromEntries(Object.entries(configuration).map(([field, value]) => [field, textOf(value)]));
  const flips = changesOf(texts(settings), there === undefined ? undefined : texts(settingsThere(there)));
  const configs = changesOf(wanted.brokerConfigs, there?.broker_configs);
  const isEnforcing = flips.some(({ field, to }) => field === 'enable_acls' && to === 'true');
  // Both ACL fields change in one step, because they exclude each other.
  const late = isEnforcing ? flips.filter(({ field }) => field.startsWith('enable_acl')) : [];
  const early = flips.filter((change) => !late.includes(change));
  const steps = [
    ...updateOf(desired, 'configuration', early, configs),
    ...updateOf(desired, 'acl enforcement', late, []),
  ];
  return steps.length === 0 ? [nothing(desired, 'configuration')] : steps;
}

/** Enforcing ACLs ends shadowing. */
function settingsOf(
  { enable_acls, enable_acl_shadowing, enable_deletion_protection }: DesiredConfiguration,
  there: ActualConfiguration | undefined,
) {
  const endsShadowing = enable_acls === true && there?.acl_shadowing_enabled === true;
  return {
    enable_acls,
    enable_acl_shadowing: endsShadowing ? false : enable_acl_shadowing,
    enable_deletion_protection,
  };
}

function settingsThere(there: ActualConfiguration): Record<Switch, boolean> {
  return {
    enable_acls: there.are_acls_enabled,
    enable_acl_shadowing: there.acl_shadowing_enabled,
    enable_deletion_protection: there.enable_deletion_protection,
  };
}

function textOf(value: boolean | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}

/** Turning on shadowing stops the enforcement of ACLs, which must be requested explicitly. */
function refuseSilentRelease(
  { place, enable_acls, enable_acl_shadowing }: DesiredConfiguration,
  there: ActualConfiguration | undefined,
  { name }: DesiredCluster,
  refuse: PlanContext['refuse'],
): void {
  if (enable_acl_shadowing !== true || enable_acls !== undefined || there?.are_acls_enabled !== true) return;
  const message = `virtual cluster ${name} enforces ACLs; for shadow mode, also set enable_acls: false`;
  refuse({ place, message });
}

function updateOf(
  desired: DesiredCluster,
  phase: Phase,
  flips: readonly Change[],
  configs: readonly Change[],
): WritingStep[] {
  if (flips.length + configs.length === 0) return [];
  const input: ConfigurationChange = {
    ...Object.fromEntries(flips.map(({ field, to }) => [switches[field as Switch], to === 'true'])),
    ...(configs.length === 0 ? {} : { broker_configs: targetsOf(configs) }),
  };
  return [
    update(desired, {
      kind: 'configuration',
      name: '',
      phase,
      changes: [...flips, ...configs],
      task: {
        operation: 'update_virtual_cluster_configuration',
        input: { virtual_cluster_configuration: input },
      },
    }),
  ];
}
