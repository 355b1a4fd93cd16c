/** Templates as YAML files of one folder: one template per document. The files are read again when one has changed. */
import { readdir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Template } from "#shared/contracts/templates.ts";
import type { TemplateFault, TemplateList, TemplateSource } from "../template-source.ts";
import { faultOf, templatesIn } from "./template-file.ts";

const maxFiles = 500;
const maxFileBytes = 256 * 1024;

interface Cached extends TemplateList {
	/** The state of the file that was read: its times, size and number. */
	readonly state: string;
}

/** The default source of templates. */
export class YamlTemplates implements TemplateSource {
	readonly #folder: string;
	#files: ReadonlyMap<string, Cached> = new Map();

	/**
	 * @param folder A path from the project's root, or an absolute one. A folder that does not exist contains no
	 * templates.
	 */
	constructor({ folder, projectRoot }: { folder: string; projectRoot: string }) {
		this.#folder = resolve(projectRoot, folder);
	}

	async list(): Promise<TemplateList> {
		const names = await readdir(this.#folder).catch(absent);
		const files = names.filter((name) => /\.ya?ml$/.test(name)).sort();
		const read = files.slice(0, maxFiles);
		const lists = await Promise.all(read.map((file) => this.#read(file)));
		this.#files = new Map(lists.map((list, index) => [read[index] ?? "", list]));
		const tooMany = files.slice(maxFiles).map((file) => faultOf(file, `there are more than ${maxFiles} files`));
		const faults = [...lists.flatMap((list) => list.faults), ...tooMany];
		const unique = withoutTwins(new Map([...this.#files].map(([file, list]) => [file, list.templates])));
		return { templates: unique.templates, faults: [...faults, ...unique.faults] };
	}

	/** A file that cannot be read takes no other one with it. */
	async #read(file: string): Promise<Cached> {
		try {
			const { mtimeMs, ctimeMs, size, ino } = await stat(join(this.#folder, file));
			const state = [mtimeMs, ctimeMs, size, ino].join();
			const cached = this.#files.get(file);
			if (cached?.state === state) return cached;
			if (size > maxFileBytes) return { state, ...refused(file, `it is larger than ${maxFileBytes} bytes`) };
			return { state, ...templatesIn(file, await readFile(join(this.#folder, file), "utf8")) };
		} catch (error) {
			const { code } = error as NodeJS.ErrnoException;
			// A file that was removed since the folder was read is none.
			if (code === "ENOENT") return { state: "", templates: [], faults: [] };
			return { state: "", ...refused(file, `it cannot be read (${code ?? "unknown error"})`) };
		}
	}
}

function refused(file: string, mistake: string): TemplateList {
	return { templates: [], faults: [faultOf(file, mistake)] };
}

/** Leaves out templates whose names earlier files have. */
function withoutTwins(files: ReadonlyMap<string, readonly Template[]>): TemplateList {
	const origins = new Map<string, string>();
	const templates: Template[] = [];
	const faults: TemplateFault[] = [];
	for (const [file, list] of files) {
		for (const template of list) {
			const first = origins.get(template.name);
			if (first === undefined) {
				origins.set(template.name, file);
				templates.push(template);
			} else faults.push(faultOf(file, `"name": "${template.name}" is the name of a template in "${first}"`));
		}
	}
	return { templates, faults };
}

function absent(error: NodeJS.ErrnoException): string[] {
	if (error.code === "ENOENT") return [];
	throw error;
}
