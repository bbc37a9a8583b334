import { PaperAirplaneIcon, PencilIcon, PlusIcon, TrashIcon } from '@primer/octicons-react';
import type { OutputOf } from '@weir/api/client';
import { useState } from 'react';
import { useClusterId, useClusterOperation } from '../../api/use-cluster.ts';
import { useAction } from '../../api/use-operation.ts';
import { visibleText } from '../../format/visible-text.ts';
import { ChangeButton, ChangeIconButton } from '../../session/change-button.tsx';
import { DeletionDialog } from '../../ui/confirm-dialog.tsx';
import { Card } from '../../ui/page.tsx';
import { Answer, Failure } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { type Channel, channelKinds } from './alert-words.ts';
import { ChannelDialog } from './channel-dialog.tsx';

type Asked = { readonly what: 'create' } | { readonly what: 'change' | 'delete'; readonly channel: Channel };

/** Where the alerts of a cluster are sent. */
export function Channels() {
  const clusterId = useClusterId();
  const listed = useClusterOperation('list_alert_channels', {}, { everyMs: 10_000 });
  const [asked, setAsked] = useState<Asked>();
  const onClose = () => setAsked(undefined);
  return (
    <>
      <Card
        title="Channels"
        actions={
          <ChangeButton icon={PlusIcon} onClick={() => setAsked({ what: 'create' })}>
            New channel
          </ChangeButton>
        }
      >
        <Answer of={listed} what="list the channels" rows={2}>
          {({ channels }) =>
            channels.length === 0 ? (
              <p className="p-4 text-sm text-muted">
                No channels yet. Alerts are sent to Slack, PagerDuty, any webhook, or by e-mail.
              </p>
            ) : (
              <ul className="divide-y divide-line">
                {channels.map((channel) => (
                  <ChannelRow
                    key={channel.id}
                    channel={channel}
                    onAsk={(what) => setAsked({ what, channel })}
                  />
                ))}
              </ul>
            )
          }
        </Answer>
      </Card>
      {asked?.what === 'create' && <ChannelDialog onClose={onClose} />}
      {asked?.what === 'change' && <ChannelDialog channel={asked.channel} onClose={onClose} />}
      {asked?.what === 'delete' && (
        <DeletionDialog
          operation="delete_alert_channel"
          input={{ virtual_cluster_id: clusterId, channel_id: asked.channel.id }}
          what={`the channel ${asked.channel.name}`}
          name={asked.channel.name}
          isInUse={false}
          onClose={onClose}
        >
          <p>Its URL, key or password is deleted with it.</p>
        </DeletionDialog>
      )}
    </>
  );
}

interface ChannelRowProps {
  readonly channel: Channel;
  readonly onAsk: (what: 'change' | 'delete') => void;
}

function ChannelRow({ channel, onAsk }: ChannelRowProps) {
  const clusterId = useClusterId();
  const attempt = useAction('test_alert_channel');
  const { id, name, kind, target, used_by, failures, failing_since, last_error, last_delivered_at } = channel;
  const shown = visibleText(name);
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-2 px-4 py-3 text-sm">
      <div className="min-w-0 flex-1 basis-56">
        <p className="font-medium break-words text-ink">
          <bdi>{shown}</bdi> <span className="font-normal text-muted">{channelKinds[kind]}</span>
        </p>
        <p className="text-xs break-words text-muted">
          <bdi>{visibleText(target)}</bdi> · last delivered <Time of={last_delivered_at} isAgo />
        </p>
        <p className="text-xs break-words text-muted">
          {used_by.length === 0 ? (
            'No alert uses it'
          ) : (
            <>
              Used by <bdi>{visibleText(used_by.join(', '))}</bdi>
            </>
          )}
        </p>
        {failures > 0 && (
          <p className="text-xs">
            <Status kind="fail" wraps>
              {failures === 1 ? 'The last attempt' : `The last ${failures} attempts`} failed, since{' '}
              <Time of={failing_since} />: {visibleText(last_error ?? '')}
            </Status>
          </p>
        )}
        <TestResult of={attempt} />
      </div>
      <div className="flex items-center gap-1">
        <ChangeButton
          icon={PaperAirplaneIcon}
          aria-label={`Test ${shown}`}
          disabled={attempt.isPending}
          onClick={() => attempt.mutate({ virtual_cluster_id: clusterId, channel_id: id })}
        >
          {attempt.isPending ? 'Sending…' : 'Test'}
        </ChangeButton>
        <ChangeIconButton icon={PencilIcon} label={`Change ${shown}`} onClick={() => onAsk('change')} />
        <ChangeIconButton icon={TrashIcon} label={`Delete ${shown}`} onClick={() => onAsk('delete')} />
      </div>
    </li>
  );
}

interface TestResultProps {
  readonly of: { readonly data: OutputOf<'test_alert_channel'> | undefined; readonly error: unknown };
}

/** What became of a test message, until the next one. */
function TestResult({ of: { data, error } }: TestResultProps) {
  return (
    <div role="status" className="text-xs">
      {error !== null && <Failure what="test the channel" error={error} />}
      {data !== undefined && (
        <Status kind={data.is_delivered ? 'ok' : 'fail'} wraps>
          Test: {visibleText(data.message)}
        </Status>
      )}
    </div>
  );
}
