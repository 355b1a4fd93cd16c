/**
 * Checks names of branches before git gets them: those that git-check-ref-format(1) allows, with letters, digits and `_
 * . / -` only.
 */

const maxLength = 200;

export function isBranchName(name: string): boolean {
	if (name.length > maxLength || name === "HEAD") return false;
	return !name.endsWith(".") && name.split("/").every(isComponent);
}

function isComponent(part: string, index: number): boolean {
	if (!/^\w[\w.-]*$/.test(part) && !(index > 0 && /^-[\w.-]*$/.test(part))) return false;
	return !part.includes("..") && !part.endsWith(".lock");
}
