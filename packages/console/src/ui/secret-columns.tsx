import { TrashIcon } from '@primer/octicons-react';
import type { ComponentProps, ComponentType, ReactNode } from 'react';
import { IconButton } from './button.tsx';
import { timeColumn } from './columns.tsx';
import type { Column } from './data-table.tsx';

interface Secret {
  readonly name: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

interface SecretActions<Row> {
  /** Further actions, before the deletion. */
  readonly actionsOf?: (row: Row) => ReactNode;
  /** For a page that callers without the right to delete see: a button that says which right is missing. */
  readonly deleteButton?: ComponentType<ComponentProps<typeof IconButton>>;
}

/** The last columns of a list of credentials or keys: when each was used and created, and its deletion. */
export function secretColumns<Row extends Secret>(
  usedTitle: string,
  onDelete: (row: Row) => void,
  { actionsOf, deleteButton: DeleteButton = IconButton }: SecretActions<Row> = {},
): readonly Column<Row>[] {
  return [
    timeColumn('used', usedTitle, '8rem', ({ last_used_at }) => last_used_at, { isAgo: true }),
    timeColumn('created', 'Created', '12rem', ({ created_at }) => created_at),
    {
      id: 'delete',
      title: 'Actions',
      priority: 5,
      width: '6rem',
      cell: (row) => (
        <>
          {actionsOf?.(row)}
          <DeleteButton icon={TrashIcon} label={`Delete ${row.name}`} onClick={() => onDelete(row)} />
        </>
      ),
    },
  ];
}
