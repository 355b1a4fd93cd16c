/** The colours of a picture: one set for light pages, one for dark ones. */
export interface Theme {
	readonly page: string;
	readonly frame: string;
	readonly box: string;
	readonly line: string;
	readonly text: string;
	readonly quiet: string;
	readonly accent: string;
}

export const themes: Readonly<Record<"light" | "dark", Theme>> = {
	light: {
		page: "#ffffff",
		frame: "#f6f8fa",
		box: "#ffffff",
		line: "#8c959f",
		text: "#1f2328",
		quiet: "#59636e",
		accent: "#0969da",
	},
	dark: {
		page: "#0d1117",
		frame: "#151b23",
		box: "#0d1117",
		line: "#6e7681",
		text: "#f0f6fc",
		quiet: "#9198a1",
		accent: "#4493f8",
	},
};
