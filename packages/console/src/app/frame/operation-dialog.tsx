import { useWorkspace } from '../../session/workspace-choice.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Command } from '../../ui/states.tsx';
import { curlOf, type OperationEntry } from '../operations-of-palette.ts';
import type { FrameProps } from './frame-props.ts';

interface OperationDialogProps extends FrameProps {
  readonly operation: OperationEntry | undefined;
  readonly onClose: () => void;
}

/** An operation that has no page: how to call it. */
export function OperationDialog({ operation, context, clusterId, onClose }: OperationDialogProps) {
  const workspace = useWorkspace(context) ?? context?.workspaces[0];
  return (
    <Dialog
      isOpen={operation !== undefined}
      onClose={onClose}
      title={operation?.title ?? ''}
      description={operation?.summary}
    >
      {operation !== undefined && (
        <div className="flex flex-col gap-3 text-sm text-body">
          <p>
            The console has no page for this operation. Edit the example and send it to the API with a key:
          </p>
          <Command
            text={curlOf(operation, { origin: location.origin, clusterId, workspaceId: workspace?.id })}
          />
          <p>
            <a href="/api/v1/docs" className="text-accent underline">
              All fields of {operation.name}
            </a>
          </p>
        </div>
      )}
    </Dialog>
  );
}
