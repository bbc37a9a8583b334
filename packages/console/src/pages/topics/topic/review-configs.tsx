import { useQuery } from '@tanstack/react-query';
import { call } from '../../../api/client.ts';
import { useAction } from '../../../api/use-operation.ts';
import { cutText, visibleText } from '../../../format/visible-text.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { Form } from '../../../ui/form.tsx';
import { Failure } from '../../../ui/states.tsx';
import { Status } from '../../../ui/status.tsx';
import { say } from '../../../ui/toasts.tsx';

interface ReviewProps {
  readonly clusterId: string;
  readonly topic: string;
  readonly changes: readonly {
    readonly name: string;
    readonly before: string;
    /** `null` for the default. */
    readonly after: string | null;
    readonly usual: string;
  }[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

const shown = (text: string) => cutText(visibleText(text), 200);

/** Shows what would change, lets the service check it without doing it, and then does it. */
export function ReviewConfigs({ clusterId, topic, changes, onClose, onDone }: ReviewProps) {
  const update = useAction('update_topic');
  const input = {
    virtual_cluster_id: clusterId,
    topic_name: topic,
    configs: Object.fromEntries(changes.map(({ name, after }) => [name, after])),
  };
  const check = useQuery({
    queryKey: ['check update_topic', input],
    queryFn: () => call('update_topic', { ...input, validate_only: true }),
    retry: false,
    staleTime: 0,
  });
  return (
    <Dialog isOpen onClose={onClose} title={`Change the configs of ${topic}`}>
      <Form
        what="change the configs"
        button="Apply"
        action={{ isPending: update.isPending || !check.isSuccess, error: update.error }}
        onCancel={onClose}
        onSubmit={() =>
          update.mutate(input, {
            onSuccess: () => {
              say(`Changed the configs of ${topic}`);
              onDone();
              onClose();
            },
          })
        }
      >
        <ul className="flex flex-col gap-2">
          {changes.map(({ name, before, after, usual }) => (
            <li key={name} className="rounded-md border border-line p-2 font-mono text-xs break-all">
              <p className="text-ink">{name}</p>
              <p className="text-fail">
                − <bdi>{shown(before)}</bdi>
              </p>
              <p className="text-ok">
                + <bdi>{shown(after ?? usual)}</bdi>
                {after === null && ' (default)'}
              </p>
            </li>
          ))}
        </ul>
        {check.isError ? (
          <Failure what="check the change" error={check.error} />
        ) : (
          <Status kind={check.isSuccess ? 'ok' : 'muted'}>
            {check.isSuccess ? 'The cluster accepts it' : 'Checking …'}
          </Status>
        )}
      </Form>
    </Dialog>
  );
}
