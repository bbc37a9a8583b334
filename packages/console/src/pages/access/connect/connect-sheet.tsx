import type { ComponentProps } from 'react';
import { useClusterId } from '../../../api/use-cluster.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { WaysToConnect } from './ways-to-connect.tsx';

interface ConnectSheetProps extends Omit<ComponentProps<typeof WaysToConnect>, 'clusterId'> {
  /** What clients connect to or as: `topic orders`. */
  readonly what: string;
  readonly onClose: () => void;
}

/** Snippets for one topic, group or credential. */
export function ConnectSheet({ what, onClose, ...ways }: ConnectSheetProps) {
  const clusterId = useClusterId();
  return (
    <Dialog
      isOpen
      isSheet
      onClose={onClose}
      title={`Connect: ${what}`}
      description="Each snippet works as it is, once its client is installed."
    >
      <WaysToConnect clusterId={clusterId} {...ways} />
    </Dialog>
  );
}
