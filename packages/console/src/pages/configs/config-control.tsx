import type { OutputOf } from '@weir/api/client';
import { configProblem } from '@weir/api/topic-rules';
import { SelectField, TextField } from '../../ui/fields.tsx';

export type ConfigDefinition = OutputOf<'list_topic_config_definitions'>['definitions'][number];

interface ConfigControlProps {
  readonly definition: ConfigDefinition;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A config with its documentation, and what is wrong with its value as it is typed. */
export function ConfigControl({ definition, value, onChange }: ConfigControlProps) {
  const { name, words, type, documentation, default: usual } = definition;
  const help = `${documentation} ${usual === null ? 'No default.' : `Default: ${usual === '' ? 'empty' : usual}.`}`;
  if (words !== null && type !== 'list')
    return (
      <SelectField
        label={name}
        name={name}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        options={[...new Set([value, ...words])].map((word) => [word, word] as const)}
      >
        {help}
      </SelectField>
    );
  return (
    <TextField
      label={name}
      name={name}
      problem={configProblem(definition, value)}
      className="font-mono"
      spellCheck={false}
      value={value}
      onText={onChange}
    >
      {help}
    </TextField>
  );
}
