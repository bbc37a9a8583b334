// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are sources
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankComments, blankCommentsAndStrings, commentsOf } from './source-text.ts';

/** `#` stands for a blank. */
const cases: [what: string, source: string, withoutComments: string, code: string][] = [
  ['a comment', 'a; // b', 'a; ####', 'a; ####'],
  ['a string with a comment', "a('// b'); /* c */", "a('// b'); #######", 'a(######); #######'],
  ['a regular expression with a backtick', '[/`/, a]; // `', '[/`/, a]; ####', '[###, a]; ####'],
  ['one after an arrow', 'a(() => /`"/.b); // c', 'a(() => /`"/.b); ####', 'a(() => ####.b); ####'],
  ['one after a word', 'return /`/; // c', 'return /`/; ####', 'return ###; ####'],
  ['one with a slash in a class', 'a(/[/`]/); // c', 'a(/[/`]/); ####', 'a(######); ####'],
  ['one with slashes', 'b => /^a:\\/\\//.c // d', 'b => /^a:\\/\\//.c ####', 'b => #########.c ####'],
  ['a division', 'a / b / c; // d', 'a / b / c; ####', 'a / b / c; ####'],
  ['a template', 'a(`// ${b} "`); // c', 'a(`// ${b} "`); ####', 'a(####${b}###); ####'],
  ['a template in one', '`${a(`${b}//`)}//` // c', '`${a(`${b}//`)}//` ####', '#${a(#${b}###)}### ####'],
  ['braces in a template', '`${{ a: 1 }}//`; // b', '`${{ a: 1 }}//`; ####', '#${{ a: 1 }}###; ####'],
];

for (const [what, source, withoutComments, code] of cases) {
  test(`${what} is blanked as the compiler reads it`, () => {
    assert.equal(blankComments(source).replaceAll(' ', '#'), withoutComments.replaceAll(' ', '#'));
    assert.equal(blankCommentsAndStrings(source).replaceAll(' ', '#'), code.replaceAll(' ', '#'));
  });
}

test('comments are found after a regular expression with a backtick', () => {
  assert.equal(commentsOf('const a = () => /`/;\n// b\nconst c = `d`;').trim(), '// b');
});
