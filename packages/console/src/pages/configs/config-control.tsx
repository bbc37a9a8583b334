import type { OutputOf } from '@weir/api/client';
import { configProblem } from '@weir/api/topic-rules';
import { Field, TextControl } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';

export type ConfigDefinition = OutputOf<'list_topic_config_definitions'>['definitions'][number];

interface ConfigControlProps {
  readonly definition: ConfigDefinition;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A config with its documentation, and what is wrong with its value as it is typed. */
export function ConfigControl({ definition, value, onChange }: ConfigControlProps) {
  const { name, words, type, documentation, default: usual } = definition;
  const isChoice = words !== null && type !== 'list';
  return (
    <Field
      label={name}
      name={name}
      problem={isChoice ? undefined : configProblem(definition, value)}
      help={
        <>
          {documentation} {usual === null ? 'No default.' : `Default: ${usual === '' ? 'empty' : usual}.`}
        </>
      }
    >
      {isChoice ? (
        <Select
          aria-label={name}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          options={[...new Set([value, ...words])].map((word) => [word, word] as const)}
        />
      ) : (
        <TextControl
          className="font-mono"
          autoComplete="off"
          spellCheck={false}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
