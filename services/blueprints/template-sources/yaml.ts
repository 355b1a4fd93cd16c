/** Templates as YAML files of one folder: one template per document. The files are read again when one has changed. */
import { resolve } from "node:path";
import type { Template } from "#shared/contracts/templates.ts";
import { YamlFolder } from "#shared/base/yaml/yaml-folder.ts";
import type { TemplateFault, TemplateHost, TemplateList, TemplateSource } from "../template-source.ts";
import { faultOf, templatesIn } from "./template-file.ts";

/** The default source of templates. */
export class YamlTemplates implements TemplateSource {
	static readonly kwargs = ["folder"];
	readonly #files: YamlFolder<TemplateList>;

	/**
	 * @param folder A path from the project's root, or an absolute one. One that does not exist is a
	 * fault.
	 */
	constructor({ folder, projectRoot }: { folder: string } & Pick<TemplateHost, "projectRoot">) {
		this.#files = new YamlFolder(resolve(projectRoot, folder), { read: templatesIn, refuse: refused });
	}

	async list(): Promise<TemplateList> {
		const files = await this.#files.contents();
		const missing = this.#files.missing("templates.kwargs.folder").map((sentence) => ({ origin: "", sentence }));
		const faults = [...missing, ...[...files.values()].flatMap((list) => list.faults)];
		const unique = withoutTwins(files);
		return { templates: unique.templates, faults: [...faults, ...unique.faults] };
	}
}

function refused(file: string, mistake: string): TemplateList {
	return { templates: [], faults: [faultOf(file, mistake)] };
}

/** Leaves out templates whose names earlier files have. */
function withoutTwins(files: ReadonlyMap<string, TemplateList>): TemplateList {
	const origins = new Map<string, string>();
	const templates: Template[] = [];
	const faults: TemplateFault[] = [];
	for (const [file, list] of files) {
		for (const template of list.templates) {
			const first = origins.get(template.name);
			if (first === undefined) {
				origins.set(template.name, file);
				templates.push(template);
			} else faults.push(faultOf(file, `"name": "${template.name}" is the name of a template in "${first}"`));
		}
	}
	return { templates, faults };
}
