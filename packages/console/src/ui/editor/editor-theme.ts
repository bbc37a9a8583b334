import { HighlightStyle } from '@codemirror/language';
import { EditorView, highlightSpecialChars } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { visibleText } from '../../format/visible-text.ts';

/** The look of editors, from the same variables as the rest of the page. */

/** A colour of charts has the contrast of marks; text needs more. */
const keywordColour = 'color-mix(in oklch, var(--series-3) 80%, var(--n-12))';

export const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.bool, tags.null], color: keywordColour },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--ok)' },
  { tag: [tags.number], color: 'var(--warn)' },
  { tag: [tags.propertyName, tags.variableName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: [tags.comment], color: 'var(--n-10)' },
  { tag: [tags.operator, tags.punctuation], color: 'var(--n-11)' },
]);

export const editorTheme = EditorView.theme({
  '&': { fontSize: '13px', color: 'var(--n-12)', backgroundColor: 'transparent' },
  '&.cm-focused': { outline: 'none' },
  '.cm-content': {
    fontFamily: '"JetBrains Mono Variable", ui-monospace, monospace',
    padding: '6px 0',
    caretColor: 'var(--n-12)',
  },
  '.cm-cursor': { borderLeftColor: 'var(--n-12)' },
  '.cm-line': { padding: '0 10px' },
  '.cm-gutters': { backgroundColor: 'var(--n-2)', color: 'var(--n-10)', border: 'none' },
  '.cm-placeholder': { color: 'var(--n-9)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--accent-soft)' },
  '.cm-tooltip': {
    border: '1px solid var(--n-5)',
    backgroundColor: 'var(--n-1)',
    color: 'var(--n-12)',
    borderRadius: '6px',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--accent-soft)',
    color: 'var(--n-12)',
  },
  '.cm-diagnostic': { fontFamily: '"Inter Variable", sans-serif', fontSize: '12px' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--fail)' },
});

/** Draws characters that cannot be seen, or that reorder a line, as the symbols that pages have for them. */
export const visibleCharacters = highlightSpecialChars({
  addSpecialChars: /[\u200c\u202a-\u202c\u2060-\u206f]|\u200d/,
  render(code, description) {
    const symbol = document.createElement('span');
    symbol.className = 'cm-specialChar';
    symbol.textContent = visibleText(String.fromCharCode(code));
    symbol.title = description ?? '';
    return symbol;
  },
});
