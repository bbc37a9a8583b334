import { Outlet, useNavigate, useParams } from '@tanstack/react-router';
import { isInternalTopic } from '@weir/core';
import { useState } from 'react';
import { counted, formatBytes, formatDuration } from '../../format/format.ts';
import { ChangeButton } from '../../session/change-button.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyableId } from '../../ui/copy-button.tsx';
import { isMissing, Missing } from '../../ui/missing.tsx';
import { Page, Tabs } from '../../ui/page.tsx';
import { Answer } from '../../ui/states.tsx';
import { ConnectSheet } from '../access/connect/connect-sheet.tsx';
import { CloneTopic } from './clone-topic.tsx';
import { DeleteTopics } from './delete-topics.tsx';
import { topicTabs } from './topic-tabs.ts';
import { useTopic } from './use-topic.ts';

/** What the pages of a topic have in common: its name, what it is, and the tabs. */
export function TopicFrame() {
  const { clusterId, topic } = useParams({ from: '/frame/clusters/$clusterId/topics/$topic' });
  const described = useTopic(topic);
  const { data } = described;
  const navigate = useNavigate();
  const [asks, setAsks] = useState<'connect' | 'clone' | 'delete' | undefined>();
  const close = () => setAsks(undefined);
  if (isMissing(described))
    return (
      <Missing
        title="Topic not found"
        name={topic}
        links={[
          { label: 'Topics', link: { to: '/clusters/$clusterId/topics', params: { clusterId } } },
          {
            label: 'Deleted topics',
            link: { to: '/clusters/$clusterId/topics', params: { clusterId }, search: { show: 'deleted' } },
          },
        ]}
      >
        It was deleted or never existed in this cluster. Names are case-sensitive.
      </Missing>
    );
  return (
    <Page
      title={topic}
      facts={
        data && (
          <>
            {counted(data.partition_count, 'partition')} · {counted(data.record_count, 'record')} ·{' '}
            {formatBytes(data.size_bytes)} · {cleanupText(data.configs)} ·{' '}
            <CopyableId text={data.topic_id} what="the topic id" />
          </>
        )
      }
      actions={
        data &&
        !isInternalTopic(topic) && (
          <>
            <Button onClick={() => setAsks('connect')}>Connect</Button>
            <ChangeButton onClick={() => setAsks('clone')}>Clone</ChangeButton>
            <ChangeButton onClick={() => setAsks('delete')}>Delete</ChangeButton>
          </>
        )
      }
    >
      <Answer of={described} what={`describe the topic ${topic}`}>
        {() => (
          <>
            <Tabs
              tabs={topicTabs.map(({ label, to }) => ({
                label,
                link: { to, params: { clusterId, topic } },
              }))}
            />
            <Outlet />
          </>
        )}
      </Answer>
      {asks === 'connect' && <ConnectSheet what={`topic ${topic}`} topic={topic} onClose={close} />}
      {asks === 'clone' && data && (
        <CloneTopic source={topic} partitionCount={data.partition_count} onClose={close} />
      )}
      {asks === 'delete' && (
        <DeleteTopics
          names={[topic]}
          onClose={close}
          onDone={() => void navigate({ to: '/clusters/$clusterId/topics', params: { clusterId } })}
        />
      )}
    </Page>
  );
}

type Configs = Readonly<Record<string, string | null>>;

/** `7 d retention`, and how records go if that is not by retention alone. */
function cleanupText(configs: Configs): string {
  const policy = configs['cleanup.policy'] ?? '';
  const retention = retentionText(configs['retention.ms']);
  if (policy === 'compact') return 'compacted by key, no retention';
  if (policy === '') return 'no cleanup, records are kept';
  return policy.includes('compact') ? `compacted by key, ${retention}` : `cleanup by deletion, ${retention}`;
}

function retentionText(retentionMs: string | null | undefined): string {
  const ms = Number(retentionMs ?? Number.NaN);
  if (Number.isNaN(ms)) return 'unknown retention';
  return ms < 0 ? 'unlimited retention' : `${formatDuration(ms)} retention`;
}
