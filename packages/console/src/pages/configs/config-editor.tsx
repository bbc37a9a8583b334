import type { CallOf } from '@weir/api/client';
import { type ReactNode, useMemo, useState } from 'react';
import { useClusterId } from '../../api/use-cluster.ts';
import { counted } from '../../format/format.ts';
import { useMissingRight } from '../../session/rights.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ConfigControl } from './config-control.tsx';
import {
  type ConfigDefinition,
  editedValue,
  shownValue,
  storedValue,
  typedProblem,
} from './config-values.ts';
import { type CheckedOperation, ReviewConfigs } from './review-configs.tsx';

interface Config {
  readonly definition: ConfigDefinition;
  /** `null` if agents decide. */
  readonly value: string | null;
  readonly isSet: boolean;
}

export interface ConfigRow extends Config {
  /** What it is to become: `null` for the default. */
  readonly edit: string | null | undefined;
}

const after = ({ definition, value, edit }: ConfigRow) =>
  edit === undefined ? value : (edit ?? definition.default);

interface EditorOptions<Name extends CheckedOperation> {
  /** All configs, in their order. */
  readonly configs: readonly Config[];
  readonly operation: Name;
  /** The call that makes the changes. */
  readonly inputOf: (edited: readonly ConfigRow[]) => CallOf<Name>;
  /** `the configs of orders`. */
  readonly what: string;
  /** The topic or the cluster, as it has to be typed before records are deleted. */
  readonly name: string;
}

interface ConfigEditor {
  readonly rows: readonly ConfigRow[];
  readonly onEdit: (row: ConfigRow) => void;
  readonly onReset: (row: ConfigRow) => void;
  /** The buttons of changes that are not made yet. */
  readonly actions: ReactNode;
  readonly dialogs: ReactNode;
}

/** Configs are changed one by one, reviewed together, and only what changed is sent. */
export function useConfigEditor<Name extends CheckedOperation>({
  configs,
  operation,
  inputOf,
  what,
  name,
}: EditorOptions<Name>): ConfigEditor {
  const mayNot = useMissingRight(useClusterId()) !== undefined;
  const [edits, setEdits] = useState<Readonly<Record<string, string | null>>>({});
  const [editing, setEditing] = useState<string>();
  const [isReviewed, setReviewed] = useState(false);
  const rows = useMemo(
    () => configs.map((config): ConfigRow => ({ ...config, edit: edits[config.definition.name] })),
    [configs, edits],
  );
  const row = rows.find(({ definition }) => definition.name === editing);
  const edited = rows.filter(({ edit }) => edit !== undefined);
  const forget = () => setEdits({});
  const setEdit = ({ definition, isSet, value }: ConfigRow, edit: string | null) =>
    setEdits(({ [definition.name]: _, ...others }) =>
      edit === (isSet ? value : null) ? others : { ...others, [definition.name]: edit },
    );
  return {
    rows,
    onEdit: ({ definition }) => setEditing(definition.name),
    onReset: (row) => setEdit(row, null),
    actions: edited.length > 0 && (
      <>
        <Button onClick={forget}>Discard</Button>
        <Button kind="primary" onClick={() => setReviewed(true)}>
          Review {counted(edited.length, 'change')}
        </Button>
      </>
    ),
    dialogs: (
      <>
        {row !== undefined && (
          <EditConfig
            key={row.definition.name}
            row={row}
            mayNot={mayNot}
            onClose={() => setEditing(undefined)}
            onEdit={(value) => setEdit(row, value)}
          />
        )}
        {isReviewed && (
          <ReviewConfigs
            what={what}
            operation={operation}
            input={inputOf(edited)}
            undo={inputOf(edited.map((one) => ({ ...one, edit: one.isSet ? one.value : null })))}
            name={name}
            changes={edited.map((one) => ({
              name: one.definition.name,
              before: shownValue(one.definition, one.value),
              after: shownValue(one.definition, after(one)) + (one.edit === null ? ' (default)' : ''),
            }))}
            onClose={() => setReviewed(false)}
            onDone={forget}
          />
        )}
      </>
    ),
  };
}

interface EditConfigProps {
  readonly row: ConfigRow;
  readonly mayNot: boolean;
  readonly onClose: () => void;
  readonly onEdit: (value: string | null) => void;
}

/** Changes one config. Nothing is sent before the changes are reviewed. */
function EditConfig({ row: { definition, value, isSet, edit }, mayNot, onClose, onEdit }: EditConfigProps) {
  const [typed, setTyped] = useState(editedValue(definition, edit ?? value));
  const problem = typedProblem(definition, typed);
  const choose = (next: string | null) => {
    onEdit(next);
    onClose();
  };
  return (
    <Dialog isOpen onClose={onClose} title={definition.name}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (problem === undefined && !mayNot) choose(storedValue(definition, typed));
        }}
      >
        <ConfigControl definition={definition} value={typed} onChange={setTyped} />
        <div className="flex justify-end gap-2">
          {(isSet || typeof edit === 'string') && (
            <Button disabled={mayNot} onClick={() => choose(null)}>
              Reset to default
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={problem !== undefined || mayNot}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
