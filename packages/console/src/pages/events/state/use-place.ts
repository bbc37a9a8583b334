import { useNavigate, useSearch } from '@tanstack/react-router';
import { searchOf, stateOf } from './explorer-state.ts';
import type { ExplorerProps } from './use-explorer.ts';

/** The state of an explorer, which the URL of its page has. */
export function usePlace(): Pick<ExplorerProps, 'state' | 'onState'> {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  return {
    state: stateOf(search as Parameters<typeof stateOf>[0]),
    onState: (state, { isSamePlace }) =>
      void navigate({ to: '.', search: searchOf(state), replace: isSamePlace, resetScroll: false } as never),
  };
}
