import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, problemOf } from '../../api/client.ts';
import { useClusterId } from '../../api/use-cluster.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { controlClass } from '../../ui/fields.tsx';
import { FormDialog, textOf } from '../../ui/form.tsx';
import { say } from '../../ui/toasts.tsx';
import { keyOfRule, type Rule, ruleInWords, rulesFromJson } from './acl-rule.ts';

interface TransferProps {
  readonly rules: readonly Rule[];
  readonly onClose: () => void;
}

/** All rules as JSON, to keep or to import elsewhere. */
export function AclExportDialog({ rules, onClose }: TransferProps) {
  const clusterId = useClusterId();
  const text = JSON.stringify({ acls: rules }, null, 2);
  return (
    <Dialog isOpen onClose={onClose} title="Export ACLs" isSheet>
      <div className="flex flex-col gap-3">
        <div className="flex items-center gap-2">
          <a
            download={`acls-${clusterId}.json`}
            href={`data:application/json;charset=utf-8,${encodeURIComponent(text)}`}
            className="text-sm text-accent underline"
          >
            Download {rules.length} rules
          </a>
          <CopyButton text={text} what="the rules" />
        </div>
        <textarea
          readOnly
          aria-label="Rules as JSON"
          value={text}
          className={`${controlClass} h-[60vh] font-mono text-xs`}
        />
      </div>
    </Dialog>
  );
}

/** Creates the rules of a text that are not there yet. None is deleted. */
export function AclImportDialog({ rules, onClose }: TransferProps) {
  const clusterId = useClusterId();
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);

  async function importAll(text: string): Promise<void> {
    setError(null);
    setPending(true);
    try {
      const there = new Set(rules.map(keyOfRule));
      const missing = rulesFromJson(text).filter((rule) => !there.has(keyOfRule(rule)));
      for (const [index, acl] of missing.entries())
        await call('virtual_clusters/acls/create', { virtual_cluster_id: clusterId, acl }).catch(
          (failure) => {
            const { message } = problemOf(failure);
            throw new Error(`${ruleInWords(acl)}: ${message} (${index} of ${missing.length} were created)`);
          },
        );
      say(missing.length === 0 ? 'All of these rules exist already' : `Created ${missing.length} rules`);
      onClose();
    } catch (failure) {
      setError(failure);
    } finally {
      setPending(false);
      await queries.invalidateQueries();
    }
  }

  return (
    <FormDialog
      title="Import ACLs"
      description="Creates the rules that do not exist yet. Deletes none."
      isSheet
      what="import the rules"
      button="Import"
      action={{ isPending, error }}
      onClose={onClose}
      onSubmit={(fields) => void importAll(textOf(fields, 'rules'))}
    >
      <textarea
        name="rules"
        required
        aria-label="Rules as JSON"
        placeholder={'{ "acls": [ … ] } in the format of an export'}
        className={`${controlClass} h-[50vh] font-mono text-xs`}
      />
    </FormDialog>
  );
}
