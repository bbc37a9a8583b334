import type { ComponentProps } from 'react';
import { useClusterId } from '../api/use-cluster.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { useMissingAccountRight, useMissingRight } from './rights.ts';

/** Puts the reason under the pointer: a disabled button has no pointer events of its own. */
function withReason(missing: string | undefined, button: React.ReactElement) {
  return missing === undefined ? button : <span title={missing}>{button}</span>;
}

/** A button that changes the cluster of the page. Without the right it is disabled, and says why. */
export function ChangeButton(props: ComponentProps<typeof Button>) {
  const missing = useMissingRight(useClusterId());
  const isDisabled = missing !== undefined || props.disabled === true;
  return withReason(missing, <Button {...props} disabled={isDisabled} aria-description={missing} />);
}

/** The same with one icon. */
export function ChangeIconButton(props: ComponentProps<typeof IconButton>) {
  const missing = useMissingRight(useClusterId());
  const isDisabled = missing !== undefined || props.disabled === true;
  return withReason(missing, <IconButton {...props} disabled={isDisabled} aria-description={missing} />);
}

/** A button that changes the account: members, roles, workspaces. */
export function AccountChangeButton(props: ComponentProps<typeof Button>) {
  const missing = useMissingAccountRight();
  const isDisabled = missing !== undefined || props.disabled === true;
  return withReason(missing, <Button {...props} disabled={isDisabled} aria-description={missing} />);
}
