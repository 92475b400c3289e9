// The default theme, whose font is that of the management app, with the app's accent.
import DefaultTheme from "vitepress/theme";
// oxlint-disable-next-line import/no-unassigned-import -- a style sheet
import "./accent.css";

export default DefaultTheme;
