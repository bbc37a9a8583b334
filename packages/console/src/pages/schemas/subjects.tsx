import { GearIcon, PlusIcon } from '@primer/octicons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useClusterId } from '../../api/use-cluster.ts';
import { counted, formatCount } from '../../format/format.ts';
import { ChangeButton } from '../../session/change-button.tsx';
import { Button } from '../../ui/button.tsx';
import { countColumn, textColumn } from '../../ui/columns.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { Checkbox } from '../../ui/fields.tsx';
import { ListTable, matching, useListSearch } from '../../ui/list-page.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { schemaTypeNames } from './schema-text.ts';
import { type Subject, useSubjects } from './use-subjects.ts';

const columns: readonly Column<Subject>[] = [
  {
    id: 'subject',
    title: 'Subject',
    width: 'minmax(16rem, 3fr)',
    sortBy: ({ subject }) => subject,
    cell: ({ subject, is_deleted }) => (
      <span className="flex items-center gap-2">
        <ObjectLink
          of={{ kind: 'subject', name: subject }}
          className="truncate font-medium text-ink hover:underline"
        />
        {is_deleted && <Status kind="muted">deleted</Status>}
      </span>
    ),
  },
  textColumn('type', 'Type', 'minmax(7rem, 1fr)', ({ schema_type }) => schemaTypeNames[schema_type]),
  countColumn('version', 'Latest version', 'minmax(7rem, 1fr)', ({ latest_version }) => latest_version),
  countColumn('versions', 'Versions', 'minmax(6rem, 1fr)', ({ version_count }) => version_count),
  countColumn('id', 'Schema id', 'minmax(7rem, 1fr)', ({ latest_id }) => latest_id, String),
  countColumn(
    'references',
    'References',
    'minmax(7rem, 1fr)',
    ({ reference_count }) => reference_count || null,
  ),
  {
    id: 'level',
    title: 'Compatibility',
    width: 'minmax(12rem, 1fr)',
    sortBy: ({ compatibility_level }) => compatibility_level,
    cell: ({ compatibility_level }) => <span className="font-mono text-xs">{compatibility_level}</span>,
  },
];

const nameOf = ({ subject }: Subject) => subject;

const path = '/frame/clusters/$clusterId/subjects';

export function Subjects() {
  const clusterId = useClusterId();
  const withDeleted = useSearch({ from: path }).deleted === true;
  const { q, set } = useListSearch();
  const navigate = useNavigate();
  const listed = useSubjects(withDeleted);
  const all = listed.data?.subjects;
  const shown = all && matching(all, nameOf, q);
  const create = (
    <ChangeButton
      kind="primary"
      icon={PlusIcon}
      onClick={() => void navigate({ to: '/clusters/$clusterId/new-subject', params: { clusterId } })}
    >
      Create subject
    </ChangeButton>
  );
  return (
    <Page
      title="Schema registry"
      facts={all && factsOf(all.length, shown!.length, listed.data!.isCut)}
      actions={
        <>
          <Button
            icon={GearIcon}
            onClick={() =>
              void navigate({ to: '/clusters/$clusterId/registry-config', params: { clusterId } })
            }
          >
            Config
          </Button>
          {create}
        </>
      }
    >
      <ListTable
        label="Subjects"
        of={listed}
        what="list the subjects"
        rowsOf={({ subjects }) => subjects}
        filter={{
          label: 'Filter subjects by name',
          noun: 'subject',
          textOf: nameOf,
          controls: (
            <Checkbox
              label="Show deleted subjects"
              checked={withDeleted}
              onChange={({ target }) => set({ deleted: target.checked || undefined })}
            />
          ),
        }}
        columns={columns}
        keyOf={nameOf}
        sort="subject"
        onOpen={({ subject }) =>
          void navigate({ to: '/clusters/$clusterId/subjects/$subject', params: { clusterId, subject } })
        }
      >
        <Empty title="No subjects yet">
          A subject holds the versions of a schema. Serializers register schemas here, and each new version is
          checked for compatibility. Create a subject, or let a serializer register one.
        </Empty>
      </ListTable>
    </Page>
  );
}

function factsOf(all: number, shown: number, isCut: boolean): string {
  const text = counted(all, 'subject');
  const cut = isCut ? '; more exist and are not listed' : '';
  return (shown === all ? text : `${formatCount(shown)} of ${text}`) + cut;
}
