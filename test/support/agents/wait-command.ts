/** A command that ends by nobody's will but another's: it says in a file who it is, and waits. */

/** @param file Gets its process id. */
export function waitCommand(file: string): string {
	return `node -e "require('node:fs').writeFileSync('${file}', String(process.pid)); setTimeout(() => {}, 600000)"`;
}
