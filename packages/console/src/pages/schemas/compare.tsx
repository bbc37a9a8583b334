import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useClusterId } from '../../api/use-cluster.ts';
import { useOperation } from '../../api/use-operation.ts';
import { TextDiff } from '../../ui/editor/text-diff.tsx';
import { controlClass } from '../../ui/fields.tsx';
import { Card } from '../../ui/page.tsx';
import { Answer, Empty } from '../../ui/states.tsx';
import { languageOf, readableSchema } from './schema-text.ts';
import { useSubject } from './use-subject.ts';

const path = '/frame/clusters/$clusterId/subjects/$subject/compare';

/** What changed between two versions. Without a choice, between the last two. */
export function SubjectCompare() {
  const { subject } = useParams({ from: path });
  const search = useSearch({ from: path });
  const { latest } = useSubject(subject);
  const versions = latest.data?.versions ?? [];
  const to = search.to ?? versions.at(-1);
  const from = search.from ?? versions.filter((version) => version < (to ?? 0)).at(-1);
  if (latest.data !== undefined && (versions.length < 2 || from === undefined || to === undefined))
    return (
      <Card>
        <Empty title="Only one version">Register a second version to compare them.</Empty>
      </Card>
    );
  return <Diff subject={subject} from={from ?? 1} to={to ?? 1} versions={versions} />;
}

interface DiffProps {
  readonly subject: string;
  readonly from: number;
  readonly to: number;
  readonly versions: readonly number[];
}

function Diff({ subject, from, to, versions }: DiffProps) {
  const clusterId = useClusterId();
  const navigate = useNavigate({ from: '/clusters/$clusterId/subjects/$subject/compare' });
  const target = { virtual_cluster_id: clusterId, subject, include_deleted: true };
  const before = useOperation('describe_schema', { ...target, version: from });
  const after = useOperation('describe_schema', { ...target, version: to });
  const choice = (label: string, value: number, choose: (version: number) => void) => (
    <label className="flex items-center gap-2 text-sm whitespace-nowrap text-muted">
      {label}
      <select
        className={`${controlClass} w-auto`}
        value={value}
        onChange={(event) => choose(Number(event.target.value))}
      >
        {versions.toReversed().map((version) => (
          <option key={version} value={version}>
            {version}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <>
      <div className="flex flex-wrap items-center gap-3">
        {choice(
          'From version',
          from,
          (version) => void navigate({ search: { from: version, to }, replace: true }),
        )}
        {choice(
          'to version',
          to,
          (version) => void navigate({ search: { from, to: version }, replace: true }),
        )}
      </div>
      <Answer of={before} what={`describe version ${from}`}>
        {(old) => (
          <Answer of={after} what={`describe version ${to}`}>
            {(next) =>
              old.schema === next.schema ? (
                <Card>
                  <Empty title="Both versions have the same schema">Choose other versions above.</Empty>
                </Card>
              ) : (
                <TextDiff
                  label={`Changes from version ${from} to version ${to}`}
                  before={readableSchema(old.schema_type, old.schema)}
                  after={readableSchema(next.schema_type, next.schema)}
                  extensions={languageOf(next.schema_type)}
                />
              )
            }
          </Answer>
        )}
      </Answer>
    </>
  );
}
