import theme from 'vitepress/theme';
import './weir.css';

export default theme;
