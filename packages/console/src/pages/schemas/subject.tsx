import { TrashIcon } from '@primer/octicons-react';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { OutputOf } from '@weir/api/client';
import { useState } from 'react';
import { useClusterOperation } from '../../api/use-cluster.ts';
import { visibleText } from '../../format/visible-text.ts';
import { ChangeButton } from '../../session/change-button.tsx';
import { useClusterFormAction } from '../../ui/actions.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyableId, CopyButton } from '../../ui/copy-button.tsx';
import { CodeEditor } from '../../ui/editor/code-editor.tsx';
import { controlClass } from '../../ui/fields.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { Card } from '../../ui/page.tsx';
import { Answer } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { languageOf, readableSchema } from './schema-text.ts';
import { useSubject } from './use-subject.ts';

const path = '/frame/clusters/$clusterId/subjects/$subject/';

type Described = OutputOf<'describe_schema'>;

/** One version of a subject: its text, and how it and others refer to each other. */
export function SubjectSchema() {
  const { subject } = useParams({ from: path });
  const search = useSearch({ from: path });
  const navigate = useNavigate({ from: '/clusters/$clusterId/subjects/$subject' });
  const { latest, liveVersions } = useSubject(subject);
  const described = useClusterOperation('describe_schema', {
    subject,
    include_deleted: true,
    ...(search.version === undefined ? {} : { version: search.version }),
  });
  const versions = latest.data?.versions ?? [];
  return (
    <Answer of={described} what="describe the schema">
      {(schema) => (
        <>
          <div className="flex flex-wrap items-center gap-3">
            <label className="flex items-center gap-2 text-sm text-muted">
              Version
              <select
                className={`${controlClass} w-auto`}
                value={schema.version ?? ''}
                onChange={({ target }) =>
                  void navigate({ to: '.', search: { version: Number(target.value) }, replace: true })
                }
              >
                {versions.toReversed().map((version) => (
                  <option key={version} value={version}>
                    {liveVersions?.includes(version) === false ? `${version} (deleted)` : version}
                  </option>
                ))}
              </select>
            </label>
            <span className="text-sm text-muted">id {schema.schema_id ?? '–'}</span>
            <CopyableId text={schema.guid} what="the GUID" />
            {schema.is_deleted && <Status kind="muted">deleted</Status>}
            <div className="flex-1" />
            <CopyButton text={schema.schema} what="the schema" />
            <VersionDeletion schema={schema} />
          </div>
          <CodeEditor
            label={`Schema of version ${schema.version}`}
            value={readableSchema(schema.schema_type, schema.schema)}
            extensions={languageOf(schema.schema_type)}
            isReadOnly
          />
          <div className="grid gap-4 md:grid-cols-3">
            <Uses
              title="References"
              none="This version references no other schema."
              uses={schema.references}
            />
            <Uses
              title="Referenced by"
              none="No schema references this version."
              uses={schema.referenced_by}
            />
            <Uses
              title="Same schema"
              none="No other version has this schema."
              uses={schema.used_by.filter((use) => use.subject !== subject || use.version !== schema.version)}
            />
          </div>
        </>
      )}
    </Answer>
  );
}

interface UsesProps {
  readonly title: string;
  readonly none: string;
  readonly uses: readonly { readonly name?: string; readonly subject: string; readonly version: number }[];
}

/** Rows of a card; the rest is counted. */
const shownMax = 100;

function Uses({ title, none, uses }: UsesProps) {
  return (
    <Card title={title}>
      {uses.length === 0 ? (
        <p className="p-4 text-sm text-muted">{none}</p>
      ) : (
        <ul className="max-h-64 overflow-y-auto py-1">
          {uses.slice(0, shownMax).map(({ name, subject, version }) => (
            <li
              key={`${name} ${subject} ${version}`}
              className="flex min-h-8 items-center gap-2 px-4 text-sm"
            >
              <ObjectLink
                of={{ kind: 'subject', name: subject }}
                search={{ version }}
                className="min-w-0 truncate text-ink underline"
              />
              <span className="shrink-0 text-muted">version {version}</span>
              {name !== undefined && (
                <span className="min-w-0 truncate font-mono text-xs text-muted" title={visibleText(name)}>
                  {visibleText(name)}
                </span>
              )}
            </li>
          ))}
          {uses.length > shownMax && (
            <li className="px-4 py-1 text-sm text-muted">and {uses.length - shownMax} more</li>
          )}
        </ul>
      )}
    </Card>
  );
}

function VersionDeletion({ schema }: { readonly schema: Described }) {
  const navigate = useNavigate({ from: '/clusters/$clusterId/subjects/$subject' });
  const [isAsking, setAsking] = useState(false);
  const { subject, version, is_deleted: isDeleted } = schema;
  const remove = useClusterFormAction('delete_schema_version', () => {
    setAsking(false);
    if (isDeleted) void navigate({ to: '.', search: {} });
  });
  if (subject === null || version === null) return null;
  const confirm = () =>
    remove.run(
      { subject, version, permanent: isDeleted },
      isDeleted ? `Permanently deleted version ${version}` : `Deleted version ${version}`,
    );
  return (
    <>
      <ChangeButton
        icon={TrashIcon}
        onClick={() => {
          remove.reset();
          setAsking(true);
        }}
      >
        {isDeleted ? 'Delete permanently' : `Delete version ${version}`}{' '}
      </ChangeButton>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={isDeleted ? `Permanently delete version ${version}?` : `Delete version ${version}?`}
        button={isDeleted ? 'Delete permanently' : `Delete version ${version}`}
        onConfirm={confirm}
        action={remove}
        {...(isDeleted ? { nameToType: subject } : {})}
      >
        {isDeleted
          ? 'This cannot be undone (hard delete). Consumers can no longer deserialize records with its schema id, unless another version has the same schema.'
          : 'Clients can no longer look up the version by its number (soft delete). The schema stays readable by id, and you can register it again as a new version.'}
      </ConfirmDialog>
    </>
  );
}
