import type { ComponentProps, ComponentType } from 'react';
import { useClusterId } from '../api/use-cluster.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { useMissingAccountRight, useMissingRight } from './rights.ts';

/** A button that changes the cluster of the page. Without the right it is disabled, and says why. */
export function ChangeButton(props: ComponentProps<typeof Button>) {
  return guarded(Button, props, useMissingRight(useClusterId()));
}

/** The same with one icon. */
export function ChangeIconButton(props: ComponentProps<typeof IconButton>) {
  return guarded(IconButton, props, useMissingRight(useClusterId()));
}

/** A button that changes the account: members, roles, workspaces. */
export function AccountChangeButton(props: ComponentProps<typeof Button>) {
  return guarded(Button, props, useMissingAccountRight());
}

/** The same with one icon. */
export function AccountChangeIconButton(props: ComponentProps<typeof IconButton>) {
  return guarded(IconButton, props, useMissingAccountRight());
}

function guarded<Props extends ComponentProps<typeof Button>>(
  Of: ComponentType<Props>,
  props: Props,
  missing: string | undefined,
) {
  if (missing === undefined) return <Of {...props} />;
  // A disabled button has no pointer events, so that the reason is on what is around it.
  return (
    <span title={missing}>
      <Of {...props} disabled aria-description={missing} />
    </span>
  );
}
