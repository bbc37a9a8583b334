import { useParams } from '@tanstack/react-router';
import type { OutputOf } from '@weir/api/client';
import { useState } from 'react';
import { problemOf } from '../../api/client.ts';
import { useAction, useOperation } from '../../api/use-operation.ts';
import { visibleText } from '../../format/visible-text.ts';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Field } from '../../ui/field.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { say } from '../../ui/toasts.tsx';

type Config = OutputOf<'describe_registry_config'>;
type Level = Config['compatibility_level'];
type Mode = Config['mode'];

const levels: Readonly<Record<Level, string>> = {
  NONE: 'Any schema may be the next version.',
  BACKWARD: 'Readers with the new version can read records of the last one.',
  BACKWARD_TRANSITIVE: 'Readers with the new version can read records of all versions.',
  FORWARD: 'Readers with the last version can read records of the new one.',
  FORWARD_TRANSITIVE: 'Readers with any version can read records of the new one.',
  FULL: 'The new and the last version can read records of each other.',
  FULL_TRANSITIVE: 'The new version and all others can read records of each other.',
};

const modes: Readonly<Record<Mode, string>> = {
  READWRITE: 'Schemas may be registered and deleted.',
  READONLY: 'Nothing may be changed.',
  READONLY_OVERRIDE: 'Nothing may be changed, whatever subjects say.',
  IMPORT: 'Schemas are registered with the ids of another registry.',
  FORWARD: 'Changes go to another registry.',
};

/** The rules of the whole registry. */
export function RegistryRules() {
  const { clusterId } = useParams({ from: '/frame/clusters/$clusterId/registry-config' });
  return (
    <Page title="Rules of the registry" facts="They count for every subject that has no rules of its own">
      <Rules clusterId={clusterId} />
    </Page>
  );
}

export function SubjectRules() {
  const { clusterId, subject } = useParams({
    from: '/frame/clusters/$clusterId/subjects/$subject/config',
  });
  return <Rules clusterId={clusterId} subject={subject} />;
}

interface RulesProps {
  readonly clusterId: string;
  readonly subject?: string;
}

function Rules({ clusterId, subject }: RulesProps) {
  const target = { virtual_cluster_id: clusterId, ...(subject === undefined ? {} : { subject }) };
  const config = useOperation('describe_registry_config', target);
  return (
    <Card title={subject === undefined ? 'Whole registry' : 'This subject'}>
      <Answer of={config} what="describe the rules">
        {(now) => <RulesForm key={JSON.stringify(now)} target={target} config={now} />}
      </Answer>
    </Card>
  );
}

/** Stands for a value that comes from above. */
const inherit = '';

interface RulesFormProps {
  readonly target: { readonly virtual_cluster_id: string; readonly subject?: string };
  readonly config: Config;
}

function RulesForm({ target, config }: RulesFormProps) {
  const update = useAction('update_registry_config');
  const isGlobal = target.subject === undefined;
  const ownLevel = config.own_compatibility_level ?? (isGlobal ? config.compatibility_level : inherit);
  const ownMode = config.own_mode ?? (isGlobal ? config.mode : inherit);
  const [level, setLevel] = useState<string>(ownLevel);
  const [mode, setMode] = useState<string>(ownMode);
  const [normalize, setNormalize] = useState(config.normalize);
  const isChanged = level !== ownLevel || mode !== ownMode || normalize !== config.normalize;
  const save = () => {
    const change = {
      ...target,
      ...(level === ownLevel ? {} : { compatibility_level: level === inherit ? null : (level as Level) }),
      ...(mode === ownMode ? {} : { mode: mode === inherit ? null : (mode as Mode) }),
      ...(normalize === config.normalize ? {} : { normalize }),
    };
    // The form is made anew with the new rules, so that its own callbacks would be lost. It shows failures itself.
    update.mutateAsync(change).then(
      () => say('Changed the rules'),
      () => {},
    );
  };
  const choices = (all: Readonly<Record<string, string>>, inherited: string) => [
    ...(isGlobal ? [] : [[inherit, `As the registry (${inherited})`] as const]),
    ...Object.keys(all).map((value) => [value, value] as const),
  ];
  return (
    <div className="flex max-w-2xl flex-col gap-4 p-4">
      <Field
        label="Compatibility of new versions"
        name="level"
        help={levels[(level === inherit ? config.compatibility_level : level) as Level]}
      >
        <Select
          aria-label="Compatibility of new versions"
          value={level}
          onChange={(event) => setLevel(event.target.value)}
          options={choices(levels, config.compatibility_level)}
        />
      </Field>
      <Field label="Mode" name="mode" help={modes[(mode === inherit ? config.mode : mode) as Mode]}>
        <Select
          aria-label="Mode"
          value={mode}
          onChange={(event) => setMode(event.target.value)}
          options={choices(modes, config.mode)}
        />
      </Field>
      <Checkbox
        label="Normalize schemas before they are registered"
        checked={normalize}
        onChange={(event) => setNormalize(event.target.checked)}
      />
      {config.alias !== null && (
        <p className="text-sm text-muted">It is another name of the subject {visibleText(config.alias)}.</p>
      )}
      {update.error !== null && (
        <p role="alert" className="text-sm text-fail">
          Failed to change the rules: {problemOf(update.error).message}
        </p>
      )}
      <Button kind="primary" className="self-start" disabled={!isChanged || update.isPending} onClick={save}>
        Save
      </Button>
    </div>
  );
}
