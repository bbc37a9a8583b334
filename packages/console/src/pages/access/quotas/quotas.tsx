import { PencilIcon, PlusIcon, TrashIcon } from '@primer/octicons-react';
import { clientQuotas, type QuotaKey, quotaKeys } from '@weir/core';
import { useState } from 'react';
import { useClusterOperation } from '../../../api/use-cluster.ts';
import { formatCount } from '../../../format/format.ts';
import { ChangeButton, ChangeIconButton } from '../../../session/change-button.tsx';
import { nameColumn } from '../../../ui/columns.tsx';
import type { Column } from '../../../ui/data-table.tsx';
import { ListTable } from '../../../ui/list-page.tsx';
import { Page } from '../../../ui/page.tsx';
import { Empty } from '../../../ui/states.tsx';
import { AccessTabs } from '../access-tabs.tsx';
import { EffectiveQuotas } from './effective-quotas.tsx';
import { QuotaDialog } from './quota-dialog.tsx';
import { type EntityQuotas, entityText, keyOfEntity, quotaText } from './quota-text.ts';
import { ReviewQuotas } from './review-quotas.tsx';

/** How much clients may do: rates by user, client id and IP address. */
export function Quotas() {
  const listed = useClusterOperation('list_client_quotas', {}, { everyMs: 15_000 });
  const all = listed.data?.client_quotas ?? [];
  const [edited, setEdited] = useState<EntityQuotas | 'new'>();
  const [deleted, setDeleted] = useState<EntityQuotas>();
  const create = (
    <ChangeButton kind="primary" icon={PlusIcon} onClick={() => setEdited('new')}>
      Create quota
    </ChangeButton>
  );
  return (
    <Page title="Access" tabTitle="Quotas" actions={create}>
      <AccessTabs />
      <EffectiveQuotas />
      <ListTable
        label="Quotas"
        title={listed.data && (all.length === 1 ? '1 entity' : `${formatCount(all.length)} entities`)}
        of={listed}
        what="list the quotas"
        rowsOf={({ client_quotas }) => client_quotas}
        filter={{ label: 'Filter quotas', noun: 'quota', textOf: ({ entity }) => entityText(entity) }}
        columns={columnsOf(setEdited, setDeleted)}
        keyOf={({ entity }) => keyOfEntity(entity)}
        sort="who"
      >
        <Empty title="No quotas">
          Without a quota, clients are not limited. Create one for a user, a client id or an IP address, or a
          default for all that have none.
        </Empty>
      </ListTable>
      {edited !== undefined && (
        <QuotaDialog
          quotas={edited === 'new' ? undefined : edited}
          others={all}
          onClose={() => setEdited(undefined)}
        />
      )}
      {deleted !== undefined && (
        <ReviewQuotas
          entity={deleted.entity}
          before={deleted.quotas}
          after={{}}
          onClose={() => setDeleted(undefined)}
        />
      )}
    </Page>
  );
}

function columnsOf(
  onEdit: (quotas: EntityQuotas) => void,
  onDelete: (quotas: EntityQuotas) => void,
): readonly Column<EntityQuotas>[] {
  return [
    nameColumn('who', 'Who', 'minmax(14rem, 2fr)', ({ entity }) => entityText(entity)),
    ...quotaKeys.map(quotaColumn),
    {
      id: 'acts',
      title: 'Actions',
      width: '6.5rem',
      cell: (quotas) => (
        <>
          <ChangeIconButton
            icon={PencilIcon}
            label={`Change quotas of ${entityText(quotas.entity)}`}
            onClick={() => onEdit(quotas)}
          />
          <ChangeIconButton
            icon={TrashIcon}
            label={`Delete quotas of ${entityText(quotas.entity)}`}
            onClick={() => onDelete(quotas)}
          />
        </>
      ),
    },
  ];
}

function quotaColumn(key: QuotaKey): Column<EntityQuotas> {
  return {
    id: key,
    title: clientQuotas[key].title,
    width: '8rem',
    isNumber: true,
    sortBy: ({ quotas }) => quotas[key] ?? -1,
    cell: ({ quotas }) => {
      const value = quotas[key];
      return value === undefined ? '–' : quotaText(key, value);
    },
  };
}
