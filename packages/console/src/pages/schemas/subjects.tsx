import { GearIcon, PlusIcon } from '@primer/octicons-react';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { formatCount } from '../../format/format.ts';
import { visibleText } from '../../format/visible-text.ts';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { FilterBox, matching } from '../../ui/list-page.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { schemaTypeNames } from './schema-text.ts';
import { type Subject, useSubjects } from './use-subjects.ts';

const columnsOf = (clusterId: string): readonly Column<Subject>[] => [
  {
    id: 'subject',
    title: 'Subject',
    width: 'minmax(16rem, 3fr)',
    sortBy: ({ subject }) => subject,
    cell: ({ subject, is_deleted }) => (
      <span className="flex items-center gap-2">
        <Link
          to="/clusters/$clusterId/subjects/$subject"
          params={{ clusterId, subject }}
          title={visibleText(subject)}
          className="truncate font-medium text-ink hover:underline"
        >
          <bdi>{visibleText(subject)}</bdi>
        </Link>
        {is_deleted && <Status kind="muted">deleted</Status>}
      </span>
    ),
  },
  {
    id: 'type',
    title: 'Type',
    width: 'minmax(7rem, 1fr)',
    sortBy: ({ schema_type }) => schema_type,
    cell: ({ schema_type }) => schemaTypeNames[schema_type],
  },
  {
    id: 'version',
    title: 'Latest version',
    width: 'minmax(7rem, 1fr)',
    isNumber: true,
    sortBy: ({ latest_version }) => latest_version,
    cell: ({ latest_version }) => formatCount(latest_version),
  },
  {
    id: 'versions',
    title: 'Versions',
    width: 'minmax(6rem, 1fr)',
    isNumber: true,
    sortBy: ({ version_count }) => version_count,
    cell: ({ version_count }) => formatCount(version_count),
  },
  {
    id: 'id',
    title: 'Schema id',
    width: 'minmax(7rem, 1fr)',
    isNumber: true,
    sortBy: ({ latest_id }) => latest_id,
    cell: ({ latest_id }) => latest_id,
  },
  {
    id: 'references',
    title: 'References',
    width: 'minmax(7rem, 1fr)',
    isNumber: true,
    sortBy: ({ reference_count }) => reference_count,
    cell: ({ reference_count }) => (reference_count === 0 ? '–' : formatCount(reference_count)),
  },
  {
    id: 'level',
    title: 'Compatibility',
    width: 'minmax(12rem, 1fr)',
    sortBy: ({ compatibility_level }) => compatibility_level,
    cell: ({ compatibility_level }) => <span className="font-mono text-xs">{compatibility_level}</span>,
  },
];

const path = '/frame/clusters/$clusterId/subjects';

export function Subjects() {
  const { clusterId } = useParams({ from: path });
  const search = useSearch({ from: path });
  const navigate = useNavigate({ from: '/clusters/$clusterId/subjects' });
  const withDeleted = search.deleted === true;
  const listed = useSubjects(clusterId, withDeleted);
  const all = listed.data?.subjects;
  const shown = all && matching(all, ({ subject }) => subject, search.q);
  const create = (
    <Button
      kind="primary"
      onClick={() => void navigate({ to: '/clusters/$clusterId/new-subject', params: { clusterId } })}
    >
      <PlusIcon aria-hidden="true" /> Create subject
    </Button>
  );
  return (
    <Page
      title="Schema registry"
      facts={all && factsOf(all.length, shown!.length, listed.data!.isCut)}
      actions={
        <>
          <Button
            onClick={() =>
              void navigate({ to: '/clusters/$clusterId/registry-config', params: { clusterId } })
            }
          >
            <GearIcon aria-hidden="true" /> Config
          </Button>
          {create}
        </>
      }
    >
      <div className="flex flex-wrap items-center gap-4">
        <FilterBox
          label="Filter subjects by name"
          value={search.q ?? ''}
          onChange={(q) =>
            void navigate({ search: (now) => ({ ...now, q: q === '' ? undefined : q }), replace: true })
          }
        />
        <Checkbox
          label="Show deleted subjects"
          checked={withDeleted}
          onChange={({ target }) =>
            void navigate({
              search: (now) => ({ ...now, deleted: target.checked ? true : undefined }),
              replace: true,
            })
          }
        />
      </div>
      <Card>
        <Answer of={listed} what="list the subjects">
          {() =>
            all!.length === 0 ? (
              <Empty title="No subjects yet">
                A subject holds the versions of a schema. Serializers register schemas here, and each new
                version is checked for compatibility. Create a subject, or let a serializer register one.
              </Empty>
            ) : shown!.length === 0 ? (
              <Empty title="No subject matches the filter">Change the filter above to see more.</Empty>
            ) : (
              <DataTable
                label="Subjects"
                columns={columnsOf(clusterId)}
                rows={shown!}
                keyOf={({ subject }) => subject}
                sort={search.sort ?? 'subject'}
                onSort={(sort) => void navigate({ search: (now) => ({ ...now, sort }), replace: true })}
                onOpen={({ subject }) =>
                  void navigate({
                    to: '/clusters/$clusterId/subjects/$subject',
                    params: { clusterId, subject },
                    search: {},
                  })
                }
              />
            )
          }
        </Answer>
      </Card>
    </Page>
  );
}

function factsOf(all: number, shown: number, isCut: boolean): string {
  const text = all === 1 ? '1 subject' : `${formatCount(all)} subjects`;
  const cut = isCut ? '; more exist and are not listed' : '';
  return (shown === all ? text : `${formatCount(shown)} of ${text}`) + cut;
}
