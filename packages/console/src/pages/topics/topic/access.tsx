import { PlusIcon } from '@primer/octicons-react';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useOperation } from '../../../api/use-operation.ts';
import { counted } from '../../../format/format.ts';
import { visibleText } from '../../../format/visible-text.ts';
import { Button } from '../../../ui/button.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { Card } from '../../../ui/page.tsx';
import { Answer, Empty } from '../../../ui/states.tsx';
import { Status, type StatusKind } from '../../../ui/status.tsx';
import { AclFormDialog } from '../../access/acl-form-dialog.tsx';
import { AclState } from '../../access/acl-mode.tsx';
import { keyOfRule } from '../../access/acl-rule.ts';
import { useRuleColumns } from '../../access/rule-table.tsx';
import {
  isAboutTopic,
  type Permission,
  principalsOf,
  type TopicPrincipal,
} from '../../access/topic-access.ts';

interface Row extends TopicPrincipal {
  readonly isSuperuser: boolean;
}

const looks: Readonly<Record<Permission, { readonly kind: StatusKind; readonly text: string }>> = {
  yes: { kind: 'ok', text: 'yes' },
  no: { kind: 'fail', text: 'no' },
  partly: { kind: 'warn', text: 'by host' },
};

const path = '/frame/clusters/$clusterId/topics/$topic/access';

/** The rules about a topic, and whom they let read and write it. */
export function TopicAccess() {
  const { clusterId, topic } = useParams({ from: path });
  const navigate = useNavigate();
  const input = { virtual_cluster_id: clusterId };
  const acls = useOperation('virtual_clusters/acls/list', input, { everyMs: 15_000 });
  const credentials = useOperation('list_virtual_cluster_credentials', input, { everyMs: 30_000 });
  const [isCreating, setCreating] = useState(false);
  const ruleColumns = useRuleColumns(clusterId);
  const columns = useMemo(() => columnsOf(clusterId, topic), [clusterId, topic]);
  const superusers = (credentials.data?.credentials ?? [])
    .filter(({ is_cluster_superuser }) => is_cluster_superuser)
    .map(({ name }): Row => ({ principal: `User:${name}`, read: 'yes', write: 'yes', isSuperuser: true }));
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <AclState clusterId={clusterId} />
        <div className="flex-1" />
        <Button
          onClick={() =>
            void navigate({
              to: '/clusters/$clusterId/acls',
              params: { clusterId },
              search: { resource_type: 'TOPIC', resource_name: topic },
            })
          }
        >
          Test access
        </Button>
        <Button kind="primary" icon={PlusIcon} onClick={() => setCreating(true)}>
          Create ACL
        </Button>
      </div>
      <Answer of={acls} what="list the ACLs">
        {(data) => {
          const rules = data.acls.filter((rule) => isAboutTopic(rule, topic));
          const named = principalsOf(rules)
            .filter(({ principal }) => superusers.every((one) => one.principal !== principal))
            .map((one): Row => ({ ...one, isSuperuser: false }));
          const rows = [...superusers, ...named];
          return (
            <>
              <Card title="Principals that may read or write">
                {rows.length === 0 ? (
                  <Empty title="No principal may read or write">
                    No rule names this topic and no credential is a superuser. While ACLs are enforced, all
                    clients are denied. Create an ACL to allow one.
                  </Empty>
                ) : (
                  <DataTable
                    label="Principals"
                    columns={columns}
                    rows={rows}
                    keyOf={({ principal }) => principal}
                  />
                )}
              </Card>
              <Card title={`${counted(rules.length, 'rule')} for this topic`}>
                {rules.length === 0 ? (
                  <Empty title="No rules for this topic">
                    Literal rules for its name, prefixed rules that match it, and rules for all topics appear
                    here.
                  </Empty>
                ) : (
                  <DataTable label="ACLs" columns={ruleColumns} rows={rules} keyOf={keyOfRule} />
                )}
              </Card>
            </>
          );
        }}
      </Answer>
      {isCreating && <AclFormDialog clusterId={clusterId} topic={topic} onClose={() => setCreating(false)} />}
    </>
  );
}

function columnsOf(clusterId: string, topic: string): readonly Column<Row>[] {
  const permission = (title: string, operation: 'READ' | 'WRITE', of: (row: Row) => Permission) => ({
    id: operation,
    title,
    width: 'minmax(7rem, 1fr)',
    cell: (row: Row) => {
      const { kind, text } = looks[of(row)];
      return (
        <Link
          to="/clusters/$clusterId/acls"
          params={{ clusterId }}
          search={{
            principal: row.principal,
            operation,
            resource_type: 'TOPIC',
            resource_name: topic,
          }}
          title={`Test ${operation} by ${visibleText(row.principal)}`}
          className="hover:underline"
        >
          <Status kind={kind}>{text}</Status>
        </Link>
      );
    },
  });
  return [
    {
      id: 'principal',
      title: 'Principal',
      width: 'minmax(12rem, 2fr)',
      cell: ({ principal }) => (
        <span className="font-medium text-ink" title={visibleText(principal)}>
          <bdi>{visibleText(principal)}</bdi>
          {principal === 'User:*' && <span className="font-normal text-muted"> all other users</span>}
        </span>
      ),
    },
    permission('Read', 'READ', ({ read }) => read),
    permission('Write', 'WRITE', ({ write }) => write),
    {
      id: 'because',
      title: 'Reason',
      width: 'minmax(10rem, 2fr)',
      cell: ({ isSuperuser }) => (isSuperuser ? 'superuser: ACLs do not apply' : 'rules below'),
    },
  ];
}
