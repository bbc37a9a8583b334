import { Outlet, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { counted, formatBytes, formatDuration } from '../../format/format.ts';
import { ChangeButton } from '../../session/change-button.tsx';
import { CopyableId } from '../../ui/copy-button.tsx';
import { Page, Tabs } from '../../ui/page.tsx';
import { Answer } from '../../ui/states.tsx';
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
  const [asks, setAsks] = useState<'clone' | 'delete' | undefined>();
  const close = () => setAsks(undefined);
  return (
    <Page
      title={topic}
      facts={
        data && (
          <>
            {counted(data.partition_count, 'partition')} · {retentionText(data.configs['retention.ms'])} ·{' '}
            {formatBytes(data.size_bytes)} · <CopyableId text={data.topic_id} what="the topic id" />
          </>
        )
      }
      actions={
        data && (
          <>
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

function retentionText(retentionMs: string | null | undefined): string {
  const ms = Number(retentionMs ?? Number.NaN);
  if (Number.isNaN(ms)) return 'unknown retention';
  return ms < 0 ? 'unlimited retention' : `${formatDuration(ms)} retention`;
}
