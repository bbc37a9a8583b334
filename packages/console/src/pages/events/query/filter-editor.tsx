import { useMemo, useRef } from 'react';
import { CodeEditor } from '../../../ui/editor/code-editor.tsx';
import { filterLanguage } from '../../../ui/editor/filter-language.ts';
import { knownFields } from '../filter/known-fields.ts';
import type { Explorer } from '../state/use-explorer.ts';

/** The filter as text. */
export function FilterEditor({ explorer }: { readonly explorer: Explorer }) {
  const { draft, effective, searches } = explorer;
  const fields = useRef<ReturnType<typeof knownFields>>([]);
  fields.current = knownFields(effective.types, searches.fields.answer?.fields);
  // A new array would make a new editor, and the cursor would be lost.
  const extensions = useMemo(() => filterLanguage(() => fields.current, ['data.tags.*']), []);
  return (
    <CodeEditor
      label="Filter"
      value={draft.text}
      placeholder={'data.operation == "WRITE" and data.resource_name like "ord%"'}
      isOneLine
      extensions={extensions}
      onChange={(text) => text !== draft.text && explorer.setDraft({ ...draft, text })}
      onSubmit={() => explorer.search()}
    />
  );
}
