import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { OutputOf } from '@weir/api/client';
import { call } from '../../api/client.ts';
import { useClusterId } from '../../api/use-cluster.ts';
import { visibleText } from '../../format/visible-text.ts';
import { Card } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { Severity } from './severity.tsx';

type Diagnostic = OutputOf<'get_diagnostic'>['diagnostic'];

interface Finding {
  readonly diagnostic: Diagnostic;
  readonly message: string;
  readonly since: string;
}

interface DiagnosedObject {
  readonly kind: 'group' | 'pipeline' | 'table' | 'topic';
  readonly name: string;
}

/** What names of checks of such objects begin with. */
const checkPrefixes: Readonly<Record<DiagnosedObject['kind'], string>> = {
  group: 'consumer_group_',
  pipeline: 'pipeline_',
  table: 'table_',
  // Of a migration.
  topic: 'migration_',
};

const readEveryMs = 10_000;

/** What failing diagnostics found about an object, with the way to what can be done. */
export function ObjectDiagnostics({ of: { kind, name } }: { readonly of: DiagnosedObject }) {
  const clusterId = useClusterId();
  const { data } = useQuery({
    queryKey: ['diagnostics of an object', clusterId, kind, name],
    queryFn: ({ signal }) => findingsOf(clusterId, { kind, name }, signal),
    refetchInterval: readEveryMs,
  });
  if (data === undefined || data.length === 0) return null;
  return (
    <Card title="Failing diagnostics">
      <ul className="divide-y divide-line">
        {data.map(({ diagnostic, message, since }) => (
          <li
            key={diagnostic.diagnostic_id}
            className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 py-2 text-sm"
          >
            <span className="w-20 shrink-0">
              <Severity diagnostic={diagnostic} />
            </span>
            <div className="min-w-0 flex-1 basis-60">
              <Link
                to="/clusters/$clusterId/diagnostics/$diagnosticId"
                params={{ clusterId, diagnosticId: diagnostic.diagnostic_id }}
                className="font-medium text-ink hover:underline"
              >
                {diagnostic.title}
              </Link>
              <p className="break-words text-body">
                {visibleText(message)} Since <Time of={since} />.
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}

async function findingsOf(
  clusterId: string,
  { kind, name: objectName }: DiagnosedObject,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const target = { virtual_cluster_id: clusterId };
  const { diagnostics } = await call('list_diagnostics', { ...target, state: 'failing' }, signal);
  const described = await Promise.all(
    diagnostics
      .filter(({ name }) => name.startsWith(checkPrefixes[kind]))
      .map(({ diagnostic_id }) => call('get_diagnostic', { ...target, diagnostic_id }, signal)),
  );
  return described.flatMap(({ diagnostic }) => {
    const finding = diagnostic.groups.find(({ key }) => key === `${kind}:${objectName}`);
    return finding === undefined ? [] : [{ diagnostic, message: finding.message, since: finding.since }];
  });
}
