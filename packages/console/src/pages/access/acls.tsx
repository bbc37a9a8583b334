import { PlusIcon } from '@primer/octicons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useClusterOperation } from '../../api/use-cluster.ts';
import { counted } from '../../format/format.ts';
import { ChangeButton } from '../../session/change-button.tsx';
import { Button } from '../../ui/button.tsx';
import { ListTable } from '../../ui/list-page.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { AccessTabs } from './access-tabs.tsx';
import { AclFormDialog } from './acl-form-dialog.tsx';
import { AclState, AclSwitch } from './acl-mode.tsx';
import { type AccessQuestion, keyOfRule, ruleInWords } from './acl-rule.ts';
import { AclTester } from './acl-tester.tsx';
import { AclExportDialog, AclImportDialog } from './acl-transfer-dialog.tsx';
import { AclBuilder } from './builder/acl-builder.tsx';
import { RecentDenials } from './recent-denials.tsx';
import { useRuleColumns } from './rule-table.tsx';

/** The rules of a cluster, and whom they let do what. */
export function Acls() {
  const { q, sort, ...asked } = useSearch({ from: '/frame/clusters/$clusterId/acls' });
  const navigate = useNavigate({ from: '/clusters/$clusterId/acls' });
  const acls = useClusterOperation('virtual_clusters/acls/list', {}, { everyMs: 15_000 });
  const [open, setOpen] = useState<'create' | 'roles' | 'export' | 'import'>();
  const close = () => setOpen(undefined);
  const rules = acls.data?.acls ?? [];
  const question =
    asked.principal === undefined || asked.operation === undefined || asked.resource_name === undefined
      ? undefined
      : ({ ...asked, resource_type: asked.resource_type ?? 'TOPIC' } as AccessQuestion);
  return (
    <Page
      title="Access"
      tabTitle="ACLs"
      facts={
        <span className="flex flex-wrap items-center gap-2">
          <AclState />
          <AclSwitch />
        </span>
      }
      actions={
        <>
          <Menu
            trigger={<Button>Import and export</Button>}
            entries={[
              { id: 'from-json', label: 'Import from JSON', onSelect: () => setOpen('import') },
              {
                id: 'as-json',
                label: 'Export as JSON',
                onSelect: () => setOpen('export'),
                disabledBecause: rules.length === 0 ? 'There are no rules' : undefined,
              },
            ]}
          />
          <ChangeButton onClick={() => setOpen('create')}>Create ACL</ChangeButton>
          <ChangeButton kind="primary" icon={PlusIcon} onClick={() => setOpen('roles')}>
            Grant roles
          </ChangeButton>
        </>
      }
    >
      <AccessTabs />
      <RecentDenials />
      <AclTester
        given={asked}
        question={question}
        onAsk={(next) => void navigate({ search: { q, sort, ...next } })}
      />
      <ListTable
        label="ACLs"
        title={acls.data && counted(rules.length, 'rule')}
        of={acls}
        what="list the ACLs"
        rowsOf={(data) => data.acls}
        filter={{ label: 'Filter rules', noun: 'rule', textOf: ruleInWords }}
        columns={useRuleColumns()}
        keyOf={keyOfRule}
        sort="principal"
      >
        <Empty title="No ACLs yet">
          A rule allows or denies a principal an operation on a resource. While ACLs are enforced, requests
          that no rule allows are denied, except those of superusers. Grant each application the role that it
          needs.
        </Empty>
      </ListTable>
      {open === 'create' && <AclFormDialog onClose={close} />}
      {open === 'roles' && <AclBuilder existing={rules} onClose={close} />}
      {open === 'export' && <AclExportDialog rules={rules} onClose={close} />}
      {open === 'import' && <AclImportDialog rules={rules} onClose={close} />}
    </Page>
  );
}
