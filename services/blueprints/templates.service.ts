/** Templates on the bus. */
import type { ServiceSchema } from "moleculer";
import { implement } from "#shared/bus/service.ts";
import { templates } from "#shared/contracts/templates.ts";
import { NotFoundError } from "#shared/errors.ts";
import type { TemplateSource } from "./template-source.ts";

export function templatesService(source: TemplateSource): ServiceSchema {
	return {
		name: templates.name,
		actions: implement(templates, {
			async list({ workload_type }) {
				const all = await source.list();
				const wanted = workload_type === undefined ? all : all.filter((one) => one.workload_type === workload_type);
				return wanted.toSorted((a, b) => (a.name < b.name ? -1 : 1));
			},

			async get({ name }) {
				const found = (await source.list()).find((one) => one.name === name);
				if (!found) throw new NotFoundError(`Template "${name}" does not exist`, "TEMPLATE_NOT_FOUND");
				return found;
			},
		}),
	};
}
