import { useClusterId, useClusterOperation } from '../../api/use-cluster.ts';
import { useButtonAction } from '../../ui/actions.ts';
import { Button } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Status, type StatusKind } from '../../ui/status.tsx';

type Mode = 'off' | 'shadow' | 'enforced';

const modes: Readonly<Record<Mode, { readonly kind: StatusKind; readonly text: string }>> = {
  off: { kind: 'warn', text: 'ACLs are off: all requests are allowed' },
  shadow: {
    kind: 'info',
    text: 'ACLs are in shadow mode: denials are recorded as events, requests are allowed',
  },
  enforced: { kind: 'ok', text: 'ACLs are enforced' },
};

const acts: readonly (readonly [Mode, string])[] = [
  ['enforced', 'Enforce: deny what no rule allows'],
  ['shadow', 'Shadow mode: record denials as events, allow all requests'],
  ['off', 'Turn off: allow all requests'],
];

function useMode(): Mode | undefined {
  const { data } = useClusterOperation('describe_virtual_cluster_configuration', {});
  if (data === undefined) return undefined;
  const { are_acls_enabled, acl_shadowing_enabled } = data.virtual_cluster_configuration;
  return are_acls_enabled ? 'enforced' : acl_shadowing_enabled ? 'shadow' : 'off';
}

/** What becomes of rules in the cluster. */
export function AclState() {
  const mode = useMode();
  if (mode === undefined) return null;
  return (
    <Status kind={modes[mode].kind} isBadge wraps>
      {modes[mode].text}
    </Status>
  );
}

interface SwitchProps {
  readonly isDisabled?: boolean;
}

/** Changes what becomes of rules. */
export function AclSwitch({ isDisabled = false }: SwitchProps) {
  const clusterId = useClusterId();
  const mode = useMode();
  const update = useButtonAction('update_virtual_cluster_configuration');
  if (mode === undefined) return null;
  const change = (next: Mode) =>
    update.run(
      {
        virtual_cluster_id: clusterId,
        virtual_cluster_configuration: {
          are_acls_enabled: next === 'enforced',
          acl_shadowing_enabled: next === 'shadow',
        },
      },
      modes[next].text,
    );
  return (
    <Menu
      trigger={<Button disabled={isDisabled || update.isPending}>Change</Button>}
      entries={acts
        .filter(([next]) => next !== mode)
        .map(([next, label]) => ({ id: next, label, onSelect: () => change(next) }))}
    />
  );
}
