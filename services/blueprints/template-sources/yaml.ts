/** Templates as YAML files of one folder: one template per document. The files are read again when one has changed. */
import { readdir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { compileSchema } from "#shared/bus/validator.ts";
import { type Template, template as templateFields } from "#shared/contracts/templates.ts";
import { yamlDocuments } from "#shared/config/yaml-text.ts";
import type { TemplateSource } from "../template-source.ts";

const maxFiles = 500;
const maxFileBytes = 256 * 1024;

const check = compileSchema(templateFields);

interface Cached {
	readonly changedMs: number;
	readonly templates: Template[];
}

/** The default source of templates. */
export class YamlTemplates implements TemplateSource {
	readonly #folder: string;
	readonly #files = new Map<string, Cached>();

	/**
	 * @param folder A path from the project's root, or an absolute one. A folder that does not exist contains no
	 * templates.
	 */
	constructor({ folder, projectRoot }: { folder: string; projectRoot: string }) {
		this.#folder = resolve(projectRoot, folder);
	}

	async list(): Promise<Template[]> {
		const names = await readdir(this.#folder).catch(absent);
		const files = names.filter((name) => /\.ya?ml$/.test(name)).sort();
		if (files.length > maxFiles)
			throw new Error(`Cannot read templates: "${this.#folder}" has more than ${maxFiles} files`);
		const templates = (await Promise.all(files.map((file) => this.#read(join(this.#folder, file))))).flat();
		refuseTwins(templates);
		return templates;
	}

	async #read(file: string): Promise<Template[]> {
		const { mtimeMs, size } = await stat(file);
		if (size > maxFileBytes) throw new Error(`Template file "${file}" is larger than ${maxFileBytes} bytes`);
		const cached = this.#files.get(file);
		if (cached?.changedMs === mtimeMs) return cached.templates;
		const templates = documentsOf(file, await readFile(file, "utf8")).map((value) => checked(file, value));
		this.#files.set(file, { changedMs: mtimeMs, templates });
		return templates;
	}
}

function documentsOf(file: string, text: string): unknown[] {
	try {
		return yamlDocuments(text);
	} catch (error) {
		throw new Error(`Template file "${file}": ${(error as Error).message}`, { cause: error });
	}
}

function checked(file: string, value: unknown): Template {
	const failure = check(value)[0];
	if (failure) throw new Error(`Template file "${file}": ${failure.message}`);
	return value as Template;
}

function refuseTwins(templates: readonly Template[]): void {
	const names = new Set<string>();
	for (const { name } of templates) {
		if (names.has(name)) throw new Error(`Two templates are called "${name}"`);
		names.add(name);
	}
}

function absent(error: NodeJS.ErrnoException): string[] {
	if (error.code === "ENOENT") return [];
	throw error;
}
