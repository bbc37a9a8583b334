import { useNavigate, useParams } from '@tanstack/react-router';
import { ApiError, type OutputOf } from '@weir/api/client';
import { useClusterId, useClusterOperation } from '../../../api/use-cluster.ts';
import { visibleText } from '../../../format/visible-text.ts';
import { Button } from '../../../ui/button.tsx';
import { CodeEditor } from '../../../ui/editor/code-editor.tsx';
import { ObjectLink } from '../../../ui/object-link.tsx';
import { Card } from '../../../ui/page.tsx';
import { Answer, Empty } from '../../../ui/states.tsx';
import { Status } from '../../../ui/status.tsx';
import { TextLink } from '../../../ui/text-link.tsx';
import { languageOf, readableSchema, schemaTypeNames } from '../../schemas/schema-text.ts';
import { subjectsOfRecords } from '../../schemas/topic-of-subject.ts';
import { useTopic } from '../use-topic.ts';
import { strategyText, validationOf, validationText } from './schema-validation.ts';

const path = '/frame/clusters/$clusterId/topics/$topic/schema';

/** Subjects to look at for those of single records. */
const listedMax = 1000;

const isCode = (error: unknown, code: string) => error instanceof ApiError && error.code === code;

/** The schemas of a topic's keys and values, and whether agents check records against them. */
export function TopicSchema() {
  const { topic } = useParams({ from: path });
  const described = useTopic(topic);
  const listed = useClusterOperation('list_subjects', { subject_prefix: `${topic}-`, limit: listedMax });
  if (isCode(listed.error, 'no_schema_registry'))
    return (
      <Card>
        <Empty title="This cluster has no schema registry">
          Kafka clusters have a schema registry; create one to register schemas.
        </Empty>
      </Card>
    );
  const configs = described.data?.configs ?? {};
  return (
    <>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <PartOfTopic topic={topic} part="value" configs={configs} />
        <PartOfTopic topic={topic} part="key" configs={configs} />
      </div>
      <Answer of={listed} what="list the subjects" rows={2}>
        {({ subjects, next_cursor }) => (
          <SubjectsOfRecords subjects={subjectsOfRecords(topic, subjects)} isCut={next_cursor !== null} />
        )}
      </Answer>
    </>
  );
}

interface PartProps {
  readonly topic: string;
  readonly part: 'key' | 'value';
  readonly configs: OutputOf<'describe_topic'>['configs'];
}

function PartOfTopic({ topic, part, configs }: PartProps) {
  const clusterId = useClusterId();
  const subject = `${topic}-${part}`;
  const schema = useClusterOperation('describe_schema', { subject });
  const validation = validationOf(part, configs);
  return (
    <Card
      title={part === 'key' ? 'Key' : 'Value'}
      actions={
        schema.data && (
          <ObjectLink of={{ kind: 'subject', name: subject }} className="text-sm text-accent underline" />
        )
      }
    >
      {isCode(schema.error, 'not_found') ? (
        <NoSubject subject={subject} />
      ) : (
        <Answer of={schema} what={`describe the schema of ${visibleText(subject)}`}>
          {(found) => <SchemaOfPart subject={subject} schema={found} />}
        </Answer>
      )}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-4 py-2 text-sm">
        <Status kind={validation.isOn ? (validation.isWarningOnly ? 'warn' : 'ok') : 'muted'} wraps>
          {validationText(part, validation)}
        </Status>
        {validation.isOn && <span className="text-muted">{strategyText(validation)}</span>}
        <TextLink to="/clusters/$clusterId/topics/$topic/configs" params={{ clusterId, topic }}>
          Change configs
        </TextLink>
      </div>
    </Card>
  );
}

function NoSubject({ subject }: { readonly subject: string }) {
  const clusterId = useClusterId();
  const navigate = useNavigate();
  return (
    <Empty
      title={`No subject ${visibleText(subject)}`}
      action={
        <Button
          onClick={() =>
            void navigate({
              to: '/clusters/$clusterId/new-subject',
              params: { clusterId },
              search: { subject },
            })
          }
        >
          Register schema
        </Button>
      }
    >
      Serializers that register schemas automatically use this name. Without this subject, this part of the
      records has no schema, or one under another subject.
    </Empty>
  );
}

function SchemaOfPart({
  subject,
  schema,
}: {
  readonly subject: string;
  readonly schema: OutputOf<'describe_schema'>;
}) {
  const { schema_type, version, versions, schema_id, compatibility_level } = schema;
  return (
    <div className="flex flex-col gap-2 p-4">
      <p className="text-sm text-muted">
        {schemaTypeNames[schema_type]} · version {version}
        {versions.length > 1 && ` of ${versions.length}`} · id {schema_id} ·{' '}
        <span className="font-mono text-xs">{compatibility_level}</span>
      </p>
      <CodeEditor
        label={`Schema of ${visibleText(subject)}`}
        value={readableSchema(schema_type, schema.schema)}
        extensions={languageOf(schema_type)}
        isReadOnly
        className="max-h-96"
      />
    </div>
  );
}

interface SubjectsOfRecordsProps {
  readonly subjects: Readonly<OutputOf<'list_subjects'>['subjects']>;
  readonly isCut: boolean;
}

/** Rows of the card; the rest is counted. */
const shownMax = 50;

function SubjectsOfRecords({ subjects, isCut }: SubjectsOfRecordsProps) {
  if (subjects.length === 0) return null;
  const rest = subjects.length - shownMax;
  return (
    <Card title="Schemas by record type">
      <ul className="divide-y divide-line">
        {subjects.slice(0, shownMax).map(({ subject, schema_type, latest_version }) => (
          <li key={subject} className="flex flex-wrap gap-x-3 px-4 py-1.5 text-sm">
            <ObjectLink
              of={{ kind: 'subject', name: subject }}
              className="min-w-0 truncate font-medium text-ink hover:underline"
            />
            <span className="text-muted">
              {schemaTypeNames[schema_type]} · version {latest_version}
            </span>
          </li>
        ))}
        {(rest > 0 || isCut) && (
          <li className="px-4 py-1.5 text-sm text-muted">
            {isCut ? 'More exist: see the Schema registry page.' : `and ${rest} more`}
          </li>
        )}
      </ul>
    </Card>
  );
}
