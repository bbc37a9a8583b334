import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { problemOf } from '../../api/client.ts';
import { useAction, useOperation } from '../../api/use-operation.ts';
import { formatTime } from '../../format/format.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Failure, Skeleton } from '../../ui/states.tsx';
import { say } from '../../ui/toasts.tsx';
import { MuteDialog } from './mute-dialog.tsx';
import { Severity } from './severity.tsx';

export function Diagnostic() {
  const { clusterId, diagnosticId } = useParams({
    from: '/frame/clusters/$clusterId/diagnostics/$diagnosticId',
  });
  const input = { virtual_cluster_id: clusterId, diagnostic_id: diagnosticId };
  const { data, isError, error, refetch } = useOperation('get_diagnostic', input, { everyMs: 5_000 });
  const [isMuting, setMuting] = useState(false);
  const unmute = useAction('unmute_diagnostic');
  const found = data?.diagnostic;
  if (found === undefined)
    return isError ? (
      <Failure what={`describe ${diagnosticId}`} error={error} onRetry={() => refetch()} />
    ) : (
      <Skeleton />
    );
  const endMuting = () =>
    unmute.mutate(input, {
      onSuccess: () => say('Unmuted'),
      onError: (failure) => say(problemOf(failure).message, 'fail'),
    });
  return (
    <Page
      title={found.title}
      tabTitle={found.name}
      facts={<Severity diagnostic={found} />}
      actions={
        <Button onClick={() => (found.muted ? endMuting() : setMuting(true))}>
          {found.muted ? 'Unmute' : 'Mute'}
        </Button>
      }
    >
      <MuteDialog target={input} isOpen={isMuting} onClose={() => setMuting(false)} />
      {found.muted && (
        <p className="text-muted">
          Muted{found.muted_until === null ? '' : ` until ${formatTime(found.muted_until, 'local')}`}
          {found.muted_by === null ? '' : ` by ${found.muted_by}`}
          {found.mute_reason === null ? '.' : `: ${found.mute_reason}`}
        </p>
      )}
      {found.groups.length > 0 && (
        <Card title="What it found">
          <ul className="divide-y divide-line">
            {found.groups.map(({ key, message, since }) => (
              <li key={key} className="flex flex-wrap gap-x-4 px-4 py-2">
                <span className="min-w-0 flex-1 break-words text-ink">{message}</span>
                <time dateTime={since} title={since} className="text-muted">
                  since {formatTime(since, 'local')}
                </time>
              </li>
            ))}
            {found.groups_left_out > 0 && (
              <li className="px-4 py-2 text-muted">and {found.groups_left_out} more</li>
            )}
          </ul>
        </Card>
      )}
      <Card title="Why it matters">
        <p className="max-w-prose p-4 text-body">{found.explanation}</p>
      </Card>
      <Card title="What to do">
        <p className="max-w-prose p-4 text-body">{found.fix}</p>
      </Card>
    </Page>
  );
}
