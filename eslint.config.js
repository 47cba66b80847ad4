/**
 * Lint rules: typescript-eslint's strict, type-aware set, and what the house style adds to it.
 * Sizes, headers, names and the import table are not here: test/tidy.test.ts checks those.
 */
import tseslint from 'typescript-eslint';

const NAMED_EXPORTS_ONLY = {
  selector: 'ExportDefaultDeclaration, ExportSpecifier[exported.name="default"], TSExportAssignment',
  message: 'A default export is banned here, use a named export.',
};
const NO_ENUM = {
  selector: 'TSEnumDeclaration',
  message: 'An enum is banned here, use an `as const` object or array and a union type.',
};

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'coverage/',
      'harness/core/generated/',
      'harness/grammar/generated/',
      'harness/grammar/assembly/',
      'runs/',
      'reports/',
      'test/fixtures/',
      'test/tools/',
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { project: ['tsconfig.test.json'], tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      eqeqeq: 'error',
      'no-console': 'error',
      'no-restricted-syntax': ['error', NAMED_EXPORTS_ONLY, NO_ENUM],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { allowDefaultCaseForExhaustiveSwitch: false, considerDefaultExhaustiveForUnions: false },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: true }],
      '@typescript-eslint/no-invalid-void-type': ['error', { allowAsThisParameter: true }],
      // Texts are walked by code points, which is what the spread of a string does.
      '@typescript-eslint/no-misused-spread': ['error', { allow: ['string'] }],
      // Columns are typed arrays read at an index that is known to be inside them; `noUncheckedIndexedAccess`
      // makes every such read possibly undefined, and `!` is how the hot path says that it is not.
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    // Tests take apart JSON whose shape the assertions themselves establish.
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    // Tools require the default export of their configuration file.
    files: ['*.config.ts'],
    rules: { 'no-restricted-syntax': ['error', NO_ENUM] },
  },
  {
    files: ['**/*.js', '**/*.mjs'],
    rules: {
      eqeqeq: 'error',
      'no-unused-vars': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
    },
  },
);
