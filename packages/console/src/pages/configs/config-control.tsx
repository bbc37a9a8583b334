import { SelectField, TextField } from '../../ui/fields.tsx';
import { type ConfigDefinition, shownValue, storedValue, typedProblem } from './config-values.ts';

interface ConfigControlProps {
  readonly definition: ConfigDefinition;
  /** As it was typed: `7 d`. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A config with its documentation, what is wrong with its value as it is typed, and what an amount is stored as. */
export function ConfigControl({ definition, value, onChange }: ConfigControlProps) {
  const { name, words, type, unit, documentation, default: usual } = definition;
  const problem = typedProblem(definition, value);
  const stored = storedValue(definition, value);
  const help = [
    documentation,
    usual === null ? 'No default.' : `Default: ${shownValue(definition, usual)}.`,
    ...(unit !== null && problem === undefined && stored !== value.trim()
      ? [`Stored as ${stored} ${unit}.`]
      : []),
  ].join(' ');
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
      problem={problem}
      className="font-mono"
      spellCheck={false}
      value={value}
      onText={onChange}
    >
      {help}
    </TextField>
  );
}
