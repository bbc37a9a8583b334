import { Outlet, useParams } from '@tanstack/react-router';
import { useClusterId, useClusterOperation } from '../../api/use-cluster.ts';
import { counted } from '../../format/format.ts';
import { visibleText } from '../../format/visible-text.ts';
import { isMissing, Missing } from '../../ui/missing.tsx';
import { Page, Tabs } from '../../ui/page.tsx';
import { Answer } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { schemaTypeNames } from './schema-text.ts';
import { SubjectActions } from './subject-actions.tsx';
import { topicOfSubject } from './topic-of-subject.ts';
import { useSubject } from './use-subject.ts';

const path = '/frame/clusters/$clusterId/subjects/$subject';

/** The title, the facts and the tabs of a subject. */
export function SubjectFrame() {
  const { clusterId, subject } = useParams({ from: path });
  const { latest, liveVersions = [], isDeleted } = useSubject(subject);
  const params = { clusterId, subject };
  if (isMissing(latest))
    return (
      <Missing
        title="Subject not found"
        name={subject}
        links={[
          { label: 'Subjects', link: { to: '/clusters/$clusterId/subjects', params: { clusterId } } },
          {
            label: 'Create subject',
            link: { to: '/clusters/$clusterId/new-subject', params: { clusterId } },
          },
        ]}
      >
        The schema registry has no subject of that name. Names are case-sensitive.
      </Missing>
    );
  return (
    <Page
      title={visibleText(subject)}
      facts={
        latest.data && (
          <span className="flex flex-wrap items-center gap-x-2">
            {isDeleted && <Status kind="muted">deleted</Status>}
            <span>{schemaTypeNames[latest.data.schema_type]}</span>·
            <span>{counted(liveVersions.length, 'version')}</span>·
            <span className="font-mono text-xs">{latest.data.compatibility_level ?? 'BACKWARD'}</span>
            {latest.data.mode !== 'READWRITE' && latest.data.mode !== null && (
              <Status kind="warn">{latest.data.mode}</Status>
            )}
            <TopicLink subject={subject} />
          </span>
        )
      }
      actions={latest.data && <SubjectActions latest={latest.data} isDeleted={isDeleted} />}
    >
      <Tabs
        tabs={[
          { label: 'Schema', link: { to: '/clusters/$clusterId/subjects/$subject', params } },
          { label: 'Compare', link: { to: '/clusters/$clusterId/subjects/$subject/compare', params } },
          { label: 'New version', link: { to: '/clusters/$clusterId/subjects/$subject/edit', params } },
          { label: 'Config', link: { to: '/clusters/$clusterId/subjects/$subject/config', params } },
        ]}
      />
      <Answer of={latest} what={`describe the subject ${visibleText(subject)}`}>
        {() => <Outlet />}
      </Answer>
    </Page>
  );
}

/** The topic whose records have this schema, if there is one by that name. */
function TopicLink({ subject }: { readonly subject: string }) {
  const clusterId = useClusterId();
  const topic = topicOfSubject(subject);
  const found = useClusterOperation(
    'describe_topic',
    { topic_name: topic ?? '' },
    { isEnabled: topic !== undefined },
  );
  if (topic === undefined || found.data === undefined) return null;
  return (
    <>
      ·
      <TextLink to="/clusters/$clusterId/topics/$topic/schema" params={{ clusterId, topic }}>
        topic {visibleText(topic)}
      </TextLink>
    </>
  );
}
