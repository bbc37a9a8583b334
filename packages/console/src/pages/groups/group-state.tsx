import { Status, type StatusKind } from '../../ui/status.tsx';

const kinds: Readonly<Record<string, StatusKind>> = { stable: 'ok', empty: 'muted', dead: 'fail' };

export function GroupState({ state }: { readonly state: string }) {
  return <Status kind={kinds[state.toLowerCase()] ?? 'info'}>{state}</Status>;
}
