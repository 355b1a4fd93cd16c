/** Sources with an import, to be planted in a copy of the tree. */

export const imports = "eslint(no-restricted-imports)";

export function importing(specifier: string, names = "{ x }"): string {
	return `import ${names} from "${specifier}";\nexport const y = x;\n`;
}

export function opening(file: string, module: string, name: string) {
	return { file, source: importing(module, `{ ${name} as x }`), rule: imports, says: "shared/base/files" };
}
