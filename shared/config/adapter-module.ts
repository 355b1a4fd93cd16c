/** Finds the modules of adapters, so that a wrong name leads to a sentence and not to the words of the module loader. */
// oxlint-disable-next-line no-restricted-imports -- files of the project, which no agent can touch
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { didYouMean, nearestName } from "#shared/base/nearest-name.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { SettingError } from "#shared/base/start-error.ts";

/** The configuration's form of an adapter: a module and its class. */
const form = /^[\w./-]+\.ts#\w+$/;

/** Returns the sentence about an adapter whose file does not exist; undefined when it does, or the text names none. */
export function missingAdapter(adapter: string): string | undefined {
	const [path = ""] = adapter.split("#");
	if (!form.test(adapter) || existsSync(join(projectRoot, path))) return undefined;
	const near = nearFile(path);
	const meant = near === undefined ? "" : `; did you mean "${near}"?`;
	return `the project has no file "${path}"${meant} (docs/configuration.md names the adapters)`;
}

/** Returns the exported class. @throws {SettingError} when there is none, or the module cannot be loaded. */
export async function adapterClass(adapter: string): Promise<CallableFunction> {
	const missing = missingAdapter(adapter);
	if (missing !== undefined) throw new SettingError(`Cannot load adapter "${adapter}": ${missing}`);
	const [path = "", name = ""] = adapter.split("#");
	const module = await loaded(adapter, join(projectRoot, path));
	const found = module[name];
	if (isClass(found)) return found;
	const classes = Object.keys(module).filter((key) => isClass(module[key]));
	const known = classes.length === 0 ? "" : `; it has: ${classes.join(", ")}`;
	throw new SettingError(
		`Cannot load adapter "${adapter}": the file "${path}" has no class "${name}"${didYouMean(classes, name) || known}`,
	);
}

async function loaded(adapter: string, file: string): Promise<Record<string, unknown>> {
	try {
		return await import(pathToFileURL(file).href);
	} catch (error) {
		const said = error instanceof Error ? error.message : String(error);
		throw new SettingError(`Cannot load adapter "${adapter}": ${said}`, { cause: error });
	}
}

function isClass(value: unknown): value is CallableFunction {
	return typeof value === "function";
}

/** Finds the file that was probably meant, in the folder of the wrong path or in the nearest one above that exists. */
function nearFile(path: string): string | undefined {
	const folder = dirname(path);
	if (!existsSync(join(projectRoot, folder))) return folder === "." ? undefined : nearFile(`${folder}.ts`);
	const files = readdirSync(join(projectRoot, folder)).filter((name) => name.endsWith(".ts"));
	const wanted = basename(path, ".ts");
	const near = files.find((name) => name.startsWith(wanted)) ?? nearestName(files, basename(path));
	return near === undefined ? undefined : join(folder, near);
}
